import path from 'node:path'
import { fileURLToPath } from 'node:url'

/** Root of the checkout that the tests belong to. */
export const REPOSITORY = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..')
