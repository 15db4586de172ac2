#!/usr/bin/env node
import { createInterface } from 'node:readline/promises'
import { main } from './main'
import { processOutput } from './output'

// Whoever read the output may go away (a closed terminal, `| head`): no reason to end the service.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)

const { stderr } = process
const terminal =
  stderr.isTTY && process.stdin.isTTY && !process.env['CI']
    ? { write: (text: string) => void stderr.write(text), columns: stderr.columns || 80, confirm }
    : undefined

async function confirm(question: string): Promise<boolean> {
  const prompt = createInterface({ input: process.stdin, output: stderr })
  try {
    return /^y(es)?$/i.test((await prompt.question(`${question} [y/N] `)).trim())
  } finally {
    prompt.close()
  }
}

process.exitCode = await main(process.argv.slice(2), processOutput, {
  env: process.env,
  cwd: process.cwd(),
  terminal,
})
