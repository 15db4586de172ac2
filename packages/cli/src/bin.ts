#!/usr/bin/env node
import { createInterface } from 'node:readline/promises'
import { findBrowser } from './open-browser'
import { needsMoreFiles, TOO_FEW_FILES } from './open-files'
import { processOutput } from './output'
import { runNode } from './run-node'

// Whoever read the output may go away (a closed terminal, `| head`): no reason to end the service.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)

const { stdin, stdout, stderr } = process
const isWatched = stderr.isTTY && !process.env['CI']
const terminal = isWatched
  ? { write: (text: string) => void stderr.write(text), columns: stderr.columns || 80 }
  : undefined

async function confirm(question: string): Promise<boolean> {
  const prompt = createInterface({ input: stdin, output: stderr })
  try {
    return /^y(es)?$/i.test((await prompt.question(`${question} [y/N] `)).trim())
  } catch {
    // Ctrl+C or Ctrl+D.
    return false
  } finally {
    prompt.close()
  }
}

/** Loads the command. With a low limit of open files, loading itself fails. */
async function loadMain() {
  try {
    return (await import('./main')).main
  } catch (error) {
    if (!needsMoreFiles(error)) throw error
    processOutput.err(`runledger: ${TOO_FEW_FILES}`)
    process.exit(1)
  }
}

const main = await loadMain()
process.exitCode = await main(process.argv.slice(2), processOutput, {
  env: process.env,
  cwd: process.cwd(),
  terminal,
  columns: stdout.isTTY ? stdout.columns || 80 : undefined,
  openBrowser: findBrowser(process.env),
  runNode,
  confirm: isWatched && stdin.isTTY ? confirm : undefined,
})
