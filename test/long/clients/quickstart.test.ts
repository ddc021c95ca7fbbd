/** The quickstart of the reference in Go, which is compiled. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import t from 'tap'
import { listen } from '../../fixtures/gateway.ts'
import { SIGNATURE, sampleIn, signedBy } from '../../fixtures/quickstart.ts'
import { fund } from '../../fixtures/swaps.ts'

const isDue = process.env.CI === 'true' || spawnSync('go', ['version']).status === 0

/** What the reader has around the sample: a program, and a wallet. */
const AROUND = `package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
)

func main() {
	signature, err := swap(func(built string) string {
		fmt.Println(built)
		signed, _ := bufio.NewReader(os.Stdin).ReadString('\\n')
		return strings.TrimSpace(signed)
	})
	if err != nil {
		panic(err)
	}
	fmt.Println(signature)
}
`

t.test(
  'the quickstart in Go swaps in the sandbox',
  { skip: isDue ? false : 'Go is not installed' },
  async (t) => {
    const { url, sandbox } = await listen(t)
    await fund(sandbox!.solanaRpc)
    const folder = t.testdir({ 'main.go': `${AROUND}\n${sampleIn('go', url)}\n` })
    const { code, printed } = await signedBy('go', ['run', join(folder, 'main.go')])
    t.equal(code, 0)
    t.equal(printed.length, 2)
    t.match(printed[1], SIGNATURE)
  },
)
