import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { onTestFinished } from 'vitest'
import { REPOSITORY } from '../support/repository'

/** Makes a folder with these files, by path, for one test. */
export async function createFolder(files: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'runledger-scripts-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true })
    await writeFile(path.join(folder, name), text)
  }
  return folder
}

/** Runs one of our scripts in a folder, and returns its exit code and all that it printed. */
export async function runScript(
  folder: string,
  name: string,
  ...args: string[]
): Promise<{ exitCode: number | null; output: string }> {
  const child = spawn(process.execPath, [path.join(REPOSITORY, 'scripts', name), ...args], { cwd: folder })
  let output = ''
  child.stdout.on('data', (chunk) => (output += chunk))
  child.stderr.on('data', (chunk) => (output += chunk))
  const exitCode = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  return { exitCode, output }
}
