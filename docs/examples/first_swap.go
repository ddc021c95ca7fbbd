// A quote and the unsigned transaction for it, with Go's standard library alone.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
)

var gateway = "http://localhost:8080"

// ask sends a body, or without one a GET. Numbers stay as they came: they go back to the gateway.
func ask(path string, body map[string]any) map[string]any {
	var response *http.Response
	var err error
	if body == nil {
		response, err = http.Get(gateway + path)
	} else {
		data, _ := json.Marshal(body)
		response, err = http.Post(gateway+path, "application/json", bytes.NewReader(data))
	}
	if err != nil {
		panic(err)
	}
	defer response.Body.Close()
	decoder := json.NewDecoder(response.Body)
	decoder.UseNumber()
	var answer map[string]any
	if err := decoder.Decode(&answer); err != nil {
		panic(err)
	}
	if response.StatusCode != 200 {
		panic(fmt.Sprint(answer["code"], ": ", answer["error"]))
	}
	return answer
}

func main() {
	if set := os.Getenv("GATEWAY"); set != "" {
		gateway = set
	}
	order := map[string]any{
		"chain": "base", "side": "sell", "amount": "250", "slippageBps": 100,
		"token": "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
		"from":  "0x52908400098527886E0F7030069857D2E4169EE7",
	}
	query := url.Values{}
	for name, value := range order {
		query.Set(name, fmt.Sprint(value))
	}
	// The whole quote goes back, unchanged.
	order["quote"] = ask("/api/quote?"+query.Encode(), nil)
	built := ask("/api/build", order)
	verification := built["verification"].(map[string]any)
	fmt.Println(built["provider"], verification["level"], built["to"])
}
