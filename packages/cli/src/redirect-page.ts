import { mkdtemp, rename, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

const NAME = 'open.html'

/**
 * Writes a page that redirects to an address and that only this user can read, and returns its own address: every user of the machine
 * sees the arguments of a browser. The page is in the given private folder, else in a new one.
 */
export async function writeRedirectPage(address: string, privateFolder: string | undefined): Promise<string> {
  const folder = privateFolder ?? (await mkdtemp(path.join(tmpdir(), 'runledger-open-')))
  const file = path.join(folder, NAME)
  const written = `${file}.${process.pid}.tmp`
  await writeFile(written, describePage(address), { mode: 0o600, flag: 'wx' })
  await rename(written, file)
  return pathToFileURL(file).href
}

function describePage(address: string): string {
  const escaped = new URL(address).href.replaceAll('&', '&amp;').replaceAll('"', '&quot;')
  return [
    '<!doctype html><meta charset="utf-8"><title>Runledger</title>',
    `<meta http-equiv="refresh" content="0; url=${escaped}">`,
    `<a href="${escaped}">Open Runledger</a>`,
    '',
  ].join('\n')
}
