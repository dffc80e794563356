package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"testing"
	"time"
)

var vectorsFile = flag.String("vectors", "vectors.json", "the file of vectors")

// Says of each vector what receive.go says: `go test -v receive.go receive_test.go -args -vectors FILE` prints a line
// `VERDICT <tab> NAME` for each, and fails when one is not as the file has it.
func TestVectors(t *testing.T) {
	text, err := os.ReadFile(*vectorsFile)
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Vectors []struct {
			Name, Secret, Verdict string
			Now                   int64
			Headers               map[string]string
			Body                  []byte `json:"body_base64"`
		}
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	for _, vector := range file.Vectors {
		headers := http.Header{}
		for name, value := range vector.Headers {
			headers.Set(name, value)
		}
		verdict, refusal := "ok", error(nil)
		if _, refusal = verify(vector.Body, headers, vector.Secret, time.Unix(vector.Now, 0)); refusal != nil {
			verdict = refusal.Error()
		}
		if (refusal == nil) != (vector.Verdict == "ok") {
			t.Errorf("%s: %s", vector.Name, verdict)
		}
		fmt.Printf("%s\t%s\n", verdict, vector.Name)
	}
}
