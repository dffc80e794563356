// Receives Oriel's webhooks with Go's standard library alone. Copy it whole, or verify into the server you have.
//
//	ORIEL_WEBHOOK_SECRET=whsec_... PORT=5005 go run receive.go     # POST http://127.0.0.1:5005/webhook
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const (
	tolerance    = 300 * time.Second
	maxBodyBytes = 1_000_000
)

// Why a delivery is refused. Answer 400.
var (
	errSecretInvalid           = errors.New("secret_invalid")
	errSignatureMissing        = errors.New("signature_missing")
	errTimestampInvalid        = errors.New("timestamp_invalid")
	errSignatureMismatch       = errors.New("signature_mismatch")
	errTimestampOutOfTolerance = errors.New("timestamp_out_of_tolerance")
	errBodyMalformed           = errors.New("body_malformed")
)

type event struct {
	ID             string `json:"id"`
	Type           string `json:"type"`
	ObjectSequence int64  `json:"object_sequence"`
	Data           struct {
		Object json.RawMessage `json:"object"`
	} `json:"data"`
}

var (
	timestampPattern = regexp.MustCompile(`^[1-9][0-9]{0,11}$`)
	idPattern        = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)
)

// verify gives the event, if this delivery was signed with secret within five minutes of now. One of the two formats is enough: both are
// HMACs under the same secret, and whoever can make one can make the other. rawBody is the bytes as they arrived, before any decoder.
func verify(rawBody []byte, headers http.Header, secret string, now time.Time) (*event, error) {
	key, err := keyOf(secret)
	if err != nil {
		return nil, err
	}

	var timestamp, expected string
	var signatures []string
	if standard := headers.Values("Webhook-Signature"); len(standard) > 0 {
		// Standard Webhooks. An id has no full stop, for that is what parts it from the time.
		id := headers.Get("Webhook-Id")
		if id == "" || strings.Contains(id, ".") {
			return nil, errSignatureMissing
		}
		timestamp = headers.Get("Webhook-Timestamp")
		expected = "v1," + base64.StdEncoding.EncodeToString(sum(key, id+"."+timestamp+".", rawBody))
		signatures = strings.Split(standard[0], " ")
	} else if ours := headers.Values("Oriel-Signature"); len(ours) > 0 {
		signatures = strings.Split(ours[0], ",")
		times := 0
		for _, part := range signatures {
			if text, isTime := cutPrefix(part, "t="); isTime {
				timestamp = text
				times++
			}
		}
		if times != 1 {
			return nil, errTimestampInvalid
		}
		expected = "v1=" + hex.EncodeToString(sum([]byte(secret), timestamp+".", rawBody))
	} else {
		return nil, errSignatureMissing
	}
	if !timestampPattern.MatchString(timestamp) {
		return nil, errTimestampInvalid
	}

	// Several, while the secret is being rotated. Every one is compared, so that time does not tell which fits.
	fits := false
	for _, signature := range signatures {
		if hmac.Equal([]byte(signature), []byte(expected)) {
			fits = true
		}
	}
	if !fits {
		return nil, errSignatureMismatch
	}
	seconds, _ := strconv.ParseInt(timestamp, 10, 64) // at most twelve digits
	if age := now.Sub(time.Unix(seconds, 0)); age > tolerance || age < -tolerance {
		return nil, errTimestampOutOfTolerance
	}
	var verified event
	if err := json.Unmarshal(rawBody, &verified); err != nil {
		return nil, errBodyMalformed
	}
	return &verified, nil
}

// keyOf gives the 24 to 64 bytes that whsec_... stands for.
func keyOf(secret string) ([]byte, error) {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	isWhole := err == nil && secret == "whsec_"+base64.StdEncoding.EncodeToString(key)
	if !isWhole || len(key) < 24 || len(key) > 64 {
		return nil, errSecretInvalid
	}
	return key, nil
}

func sum(key []byte, prefix string, rawBody []byte) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(prefix))
	mac.Write(rawBody)
	return mac.Sum(nil)
}

// cutPrefix is strings.CutPrefix, for Go before 1.20.
func cutPrefix(text, prefix string) (string, bool) {
	return strings.TrimPrefix(text, prefix), strings.HasPrefix(text, prefix)
}

// take is yours: write the event down and return. What it brings about is done afterwards, by somebody else.
func take(e *event) error {
	fmt.Println(e.ID, e.Type, e.ObjectSequence)
	return nil
}

func receive(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	rawBody, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBodyBytes))
	if err != nil {
		w.WriteHeader(http.StatusRequestEntityTooLarge)
		return
	}
	verified, err := verify(rawBody, r.Header, os.Getenv("ORIEL_WEBHOOK_SECRET"), time.Now())
	if err != nil {
		id := r.Header.Get("Webhook-Id")
		if !idPattern.MatchString(id) {
			id = "(no id)"
		}
		log.Printf("refused: %v %s", err, id)
		http.Error(w, fmt.Sprintf("Webhook refused: %v.", err), http.StatusBadRequest)
		return
	}
	if err := take(verified); err != nil {
		log.Print(err)
		w.WriteHeader(http.StatusInternalServerError) // not written down: Oriel sends it again
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func main() {
	if _, err := keyOf(os.Getenv("ORIEL_WEBHOOK_SECRET")); err != nil {
		log.Fatal("ORIEL_WEBHOOK_SECRET must be the signing secret exactly as shown: whsec_... without spaces or quotes.")
	}
	port := os.Getenv("PORT")
	if port == "" {
		port = "5005"
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("listening on http://127.0.0.1:%s/webhook\n", port)
	http.HandleFunc("/webhook", receive)
	server := &http.Server{ReadTimeout: 10 * time.Second}
	log.Fatal(server.Serve(listener))
}
