"""Signs one request and prints the six signed lines and the signature.

python3 sign.py METHOD PATH TIMESTAMP NONCE [NAME VALUE]... < body
"""

import hashlib
import hmac
import os
import sys
from urllib.parse import quote


def canonical_query(pairs):
    """Sorts by name and encodes per RFC 3986. Send exactly this string."""
    ordered = sorted(pairs, key=lambda pair: pair[0].encode())
    return "&".join(f"{quote(name, safe='')}={quote(value, safe='')}" for name, value in ordered)


def canonical_request(method, path, pairs, timestamp, nonce, body):
    digest = hashlib.sha256(body).hexdigest()
    return "\n".join([method.upper(), path, canonical_query(pairs), timestamp, nonce, digest])


def sign(secret, canonical):
    return hmac.new(secret.encode(), canonical.encode(), hashlib.sha256).hexdigest()


if __name__ == "__main__":
    method, path, timestamp, nonce, *query = sys.argv[1:]
    pairs = list(zip(query[::2], query[1::2]))
    canonical = canonical_request(method, path, pairs, timestamp, nonce, sys.stdin.buffer.read())
    sys.stdout.buffer.write(canonical.encode() + b"\n")
    print(sign(os.environ["VEHICLE_AUCTION_SIGNING_SECRET"], canonical))
