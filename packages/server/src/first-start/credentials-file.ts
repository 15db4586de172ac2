import { type Credentials, CREDENTIALS_FILE, CredentialsSchema } from '@runledger/protocol'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The credentials of a data folder; undefined when there are none or they make no sense. */
export async function readCredentials(dataDir: string): Promise<Credentials | undefined> {
  try {
    const text = await readFile(join(dataDir, CREDENTIALS_FILE), 'utf8')
    return CredentialsSchema.safeParse(JSON.parse(text)).data
  } catch (error) {
    if (error instanceof SyntaxError || isMissing(error)) return undefined
    throw error
  }
}

/** Writes the credentials, readable by their owner alone, whole or not at all. */
export async function writeCredentials(dataDir: string, credentials: Credentials): Promise<void> {
  await writeWhole(join(dataDir, CREDENTIALS_FILE), `${JSON.stringify(credentials, null, 2)}\n`, 0o600)
}

async function writeWhole(path: string, text: string, mode: number): Promise<void> {
  const temporary = `${path}.${process.pid}.tmp`
  await writeFile(temporary, text, { mode, flush: true })
  await rename(temporary, path)
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}
