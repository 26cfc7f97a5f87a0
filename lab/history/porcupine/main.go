// Judges registers by Porcupine, a checker of linearizability. Reads operations as JSON lines, one history for each
// key, and prints one line for each key: its name, how many operations it has, and ok, illegal or unknown.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"sort"
	"time"

	"github.com/anishathalye/porcupine"
)

// Time for one key; beyond it the verdict is unknown.
const timeout = 60 * time.Second

type operation struct {
	Key    string  `json:"key"`
	Client int     `json:"client"`
	Start  float64 `json:"start"`
	// Missing: it may have been done at any time after its start.
	End *float64 `json:"end"`
	// read, write, swap (a write if the register is Expected) or refused (a swap that found something else)
	Do       string `json:"do"`
	Value    string `json:"value"`
	Expected string `json:"expected"`
}

func step(state, input, output any) (bool, any) {
	current := state.(string)
	op := input.(operation)
	switch op.Do {
	case "read":
		return op.Value == current, current
	case "swap":
		return op.Expected == current, op.Value
	case "refused":
		return op.Expected != current, current
	default:
		return true, op.Value
	}
}

func histories() (map[string][]porcupine.Operation, error) {
	found := map[string][]porcupine.Operation{}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(make([]byte, 1<<16), 1<<24)
	for lines.Scan() {
		var op operation
		if err := json.Unmarshal(lines.Bytes(), &op); err != nil {
			return nil, err
		}
		end := int64(math.MaxInt64)
		if op.End != nil {
			end = int64(*op.End * 1e6)
		}
		found[op.Key] = append(found[op.Key], porcupine.Operation{
			ClientId: op.Client, Input: op, Call: int64(op.Start * 1e6), Output: op, Return: end,
		})
	}
	return found, lines.Err()
}

func main() {
	found, err := histories()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	keys := make([]string, 0, len(found))
	for key := range found {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	for _, key := range keys {
		model := porcupine.Model{
			Init: func() any { return "first" },
			Step: step,
		}
		verdict := porcupine.CheckOperationsTimeout(model, found[key], timeout)
		fmt.Printf("%s %d %s\n", key, len(found[key]), map[porcupine.CheckResult]string{
			porcupine.Ok: "ok", porcupine.Illegal: "illegal", porcupine.Unknown: "unknown",
		}[verdict])
	}
}
