// npm run check:packages: packs every package that is published, and asks publint (strict) about its manifest and files, and
// attw ("are the types wrong") about its types in every way in which TypeScript finds modules. Ends 1 when either complains.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'

// attw does not find the default export in CJS code without white space, as the reporters' is. The test of the
// published packages requires each of them, and finds the class.
const NOT_ASKED = ['FalseExportDefault']

const folder = mkdtempSync(path.join(os.tmpdir(), 'runledger-check-'))
try {
  const tarballs = pack()
  const complaints = []
  for (const tarball of tarballs) complaints.push(...(await askPublint(tarball)), ...(await askAttw(tarball)))
  for (const complaint of complaints) console.error(complaint)
  console.log(`packages: ${tarballs.length} as published, ${complaints.length} complaints`)
  process.exitCode = complaints.length === 0 ? 0 : 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** Packs what is not private in packages/ of the folder that this is called in. */
function pack() {
  const published = readdirSync('packages')
    .map((name) => `packages/${name}`)
    .filter((name) => !JSON.parse(readFileSync(`${name}/package.json`, 'utf8')).private)
  const workspaces = published.flatMap((name) => ['-w', name])
  execFileSync('npm', ['pack', ...workspaces, '--pack-destination', folder, '--silent'])
  return readdirSync(folder).map((name) => ({
    name,
    bytes: new Uint8Array(readFileSync(path.join(folder, name))),
  }))
}

async function askPublint({ name, bytes }) {
  const { messages, pkg } = await publint({ pack: { tarball: bytes.buffer }, strict: true })
  return messages.map((message) => `${name}: publint: ${formatMessage(message, pkg, { color: false })}`)
}

async function askAttw({ name, bytes }) {
  const { problems = [] } = await checkPackage(createPackageFromTarballData(bytes))
  return problems
    .filter(({ kind }) => !NOT_ASKED.includes(kind))
    .map((problem) => `${name}: attw: ${JSON.stringify(problem)}`)
}
