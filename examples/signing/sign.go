// Signs one request and prints the six signed lines and the signature.
//
//	go run sign.go METHOD PATH TIMESTAMP NONCE [NAME VALUE]... < body
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"log"
	"net/url"
	"os"
	"sort"
	"strings"
)

type pair struct{ name, value string }

// encode escapes as in RFC 3986. QueryEscape differs only in the space.
func encode(text string) string {
	return strings.ReplaceAll(url.QueryEscape(text), "+", "%20")
}

// canonicalQuery sorts by name and encodes. Send exactly this string.
func canonicalQuery(pairs []pair) string {
	sort.SliceStable(pairs, func(a, b int) bool { return pairs[a].name < pairs[b].name })
	encoded := make([]string, len(pairs))
	for index, each := range pairs {
		encoded[index] = encode(each.name) + "=" + encode(each.value)
	}
	return strings.Join(encoded, "&")
}

func canonicalRequest(method, path string, pairs []pair, timestamp, nonce string, body []byte) string {
	digest := sha256.Sum256(body)
	lines := []string{strings.ToUpper(method), path, canonicalQuery(pairs), timestamp, nonce, hex.EncodeToString(digest[:])}
	return strings.Join(lines, "\n")
}

func sign(secret, canonical string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(canonical))
	return hex.EncodeToString(mac.Sum(nil))
}

func main() {
	if len(os.Args) < 5 || len(os.Args)%2 == 0 {
		log.Fatal("usage: sign METHOD PATH TIMESTAMP NONCE [NAME VALUE]... < body")
	}
	body, err := io.ReadAll(os.Stdin)
	if err != nil {
		log.Fatal(err)
	}
	var pairs []pair
	for at := 5; at < len(os.Args); at += 2 {
		pairs = append(pairs, pair{os.Args[at], os.Args[at+1]})
	}
	canonical := canonicalRequest(os.Args[1], os.Args[2], pairs, os.Args[3], os.Args[4], body)
	fmt.Println(canonical)
	fmt.Println(sign(os.Getenv("VEHICLE_AUCTION_SIGNING_SECRET"), canonical))
}
