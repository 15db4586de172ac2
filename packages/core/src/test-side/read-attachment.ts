import type { statSync } from 'node:fs'
import { toBytes } from './bytes'
import { getBuiltIn } from './built-in'
import { checkKeys, checkName, checkText, MisuseError } from './misuse'
import type { GivenAttachment } from './place'
import type { AttachOptions } from './test-side'

/** Checks what is to be attached. @throws MisuseError, also for a path that leads to no file */
export function readAttachment(name: unknown, options: AttachOptions): GivenAttachment {
  checkName('attach', 'name', name)
  checkKeys('attach', options, ['path', 'body', 'contentType'])
  const { contentType } = options
  if (contentType !== undefined) checkText('attach', 'contentType', contentType)
  return { name, contentType: contentType ?? guessType(options), source: readSource(options) }
}

function guessType({ body }: AttachOptions): string | undefined {
  return typeof body === 'string' ? 'text/plain' : undefined
}

function readSource({ path, body }: AttachOptions): GivenAttachment['source'] {
  if ((path === undefined) === (body === undefined))
    throw new MisuseError('attach', 'it takes either path or body; give one of them')
  if (path !== undefined) return { path: readPath(path) }
  if (typeof body === 'string') return { bytes: toBytes(body) }
  // Not `instanceof`: Jest's tests have classes of their own.
  if (!ArrayBuffer.isView(body)) throw refuse('body', body, 'give a text, a Buffer or a Uint8Array')
  return { bytes: new Uint8Array(body.buffer, body.byteOffset, body.byteLength) }
}

function readPath(path: unknown): string {
  if (typeof path !== 'string' || path === '') throw refuse('path', path, 'give the path of a file')
  const isFile = getBuiltIn<{ statSync: typeof statSync }>('node:fs')
    ?.statSync(path, { throwIfNoEntry: false })
    ?.isFile()
  if (isFile === false || isFile === undefined)
    throw refuse('path', path, 'give the path of a file that exists')
  return path
}

function refuse(field: string, value: unknown, fix: string): MisuseError {
  return new MisuseError('attach', { field, value, fix })
}
