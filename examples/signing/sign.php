<?php
// Signs one request and prints the six signed lines and the signature.
//
// php sign.php METHOD PATH TIMESTAMP NONCE [NAME VALUE]... < body

declare(strict_types=1);

/** Sorts by name and encodes per RFC 3986. Send exactly this string. */
function canonicalQuery(array $pairs): string
{
    usort($pairs, fn (array $a, array $b): int => strcmp($a[0], $b[0]));
    return implode('&', array_map(
        fn (array $pair): string => rawurlencode($pair[0]) . '=' . rawurlencode($pair[1]),
        $pairs,
    ));
}

function canonicalRequest(
    string $method,
    string $path,
    array $pairs,
    string $timestamp,
    string $nonce,
    string $body,
): string {
    $digest = hash('sha256', $body);
    return implode("\n", [strtoupper($method), $path, canonicalQuery($pairs), $timestamp, $nonce, $digest]);
}

function sign(string $secret, string $canonical): string
{
    return hash_hmac('sha256', $canonical, $secret);
}

[, $method, $path, $timestamp, $nonce] = $argv;
$pairs = array_chunk(array_slice($argv, 5), 2);
$body = stream_get_contents(STDIN);
$canonical = canonicalRequest($method, $path, $pairs, $timestamp, $nonce, $body);
echo $canonical, "\n", sign(getenv('VEHICLE_AUCTION_SIGNING_SECRET'), $canonical), "\n";
