import { readFileSync } from 'node:fs'
import path from 'node:path'
import { type Credentials, CREDENTIALS_FILE, DATA_FOLDER } from '@runledger/protocol'
import * as z from 'zod'
import { ConfigError } from '../model/errors'
import { listFoldersUpward } from '../util/files'
import { parseJson } from '../util/text'
import { HttpUrlSchema, TextSchema } from './option-table'

const FileSchema = z.object({ url: HttpUrlSchema, api_key: TextSchema, procedure_id: TextSchema.optional() })

/** What `runledger serve` wrote, and where. */
export interface FoundCredentials extends Credentials {
  file: string
}

/**
 * The nearest `.runledger/credentials.json` from a folder upward.
 * @throws ConfigError when the nearest one cannot be read.
 */
export function findCredentials(fromDir: string): FoundCredentials | undefined {
  for (const folder of listFoldersUpward(fromDir)) {
    const file = path.join(folder, DATA_FOLDER, CREDENTIALS_FILE)
    const text = readIfThere(file)
    if (text !== undefined) return { ...parseCredentials(text, file), file }
  }
  return undefined
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
  const { success, data } = FileSchema.safeParse(parseJson(text))
  if (success) return data
  throw new ConfigError(`${file} holds no credentials: start runledger serve again, or set url and apiKey.`)
}
