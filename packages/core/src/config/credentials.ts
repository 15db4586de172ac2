import { readFileSync } from 'node:fs'
import path from 'node:path'
import { CREDENTIALS_FILE, DATA_FOLDER, type Credentials } from '@runledger/protocol'
import { ConfigError } from '../model/errors'
import { parseJson } from '../util/parse-json'
import { filledText, httpUrl } from './option-checks'

/**
 * The nearest `.runledger/credentials.json` from a folder upward, as `runledger serve` writes it.
 * @throws ConfigError when the nearest one cannot be read.
 */
export function findCredentials(fromDir: string): Credentials | undefined {
  for (const folder of listFoldersUpward(fromDir)) {
    const file = path.join(folder, DATA_FOLDER, CREDENTIALS_FILE)
    const text = readIfThere(file)
    if (text !== undefined) return parseCredentials(text, file)
  }
  return undefined
}

/** A folder and all its parents, nearest first. */
export function listFoldersUpward(fromDir: string): string[] {
  const folders = [path.resolve(fromDir)]
  for (;;) {
    const last = folders[folders.length - 1] as string
    const parent = path.dirname(last)
    if (parent === last) return folders
    folders.push(parent)
  }
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw new ConfigError(`cannot read ${file} (${code}): mend its permissions, or set url and apiKey.`)
  }
}

function parseCredentials(text: string, file: string): Credentials {
  const found = parseJson(text) as Partial<Record<keyof Credentials, unknown>> | null | undefined
  const url = httpUrl(found?.url)
  const apiKey = filledText(found?.api_key)
  const procedureId = filledText(found?.procedure_id)
  if (
    typeof url !== 'string' ||
    apiKey === undefined ||
    (found?.procedure_id !== undefined && !procedureId)
  ) {
    throw new ConfigError(`${file} holds no credentials: start runledger serve again, or set url and apiKey.`)
  }
  return { url, api_key: apiKey, procedure_id: procedureId }
}
