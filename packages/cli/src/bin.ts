#!/usr/bin/env node
import { main } from './main'
import { processOutput } from './output'

// Whoever read the output may go away (a closed terminal, `| head`): no reason to end the service.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)

const { stderr } = process
const terminal =
  stderr.isTTY && !process.env['CI']
    ? { write: (text: string) => void stderr.write(text), columns: stderr.columns || 80 }
    : undefined

process.exitCode = await main(process.argv.slice(2), processOutput, {
  env: process.env,
  cwd: process.cwd(),
  terminal,
})
