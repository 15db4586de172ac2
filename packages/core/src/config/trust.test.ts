import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { explainDistrust } from './trust'

let folder: string
let file: string

beforeEach(() => {
  folder = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'runledger-trust-')))
  mkdirSync(path.join(folder, 'inner'), { mode: 0o755 })
  file = path.join(folder, 'inner/file')
  writeFileSync(file, '', { mode: 0o644 })
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe.skipIf(process.platform === 'win32')('explainDistrust', () => {
  it('trusts files that this user owns and only this user may write', () => {
    expect(explainDistrust(file, {})).toBeUndefined()
  })

  it('says what others may write to: the file, or the folder that it is in', () => {
    chmodSync(file, 0o646)
    expect(explainDistrust(file, {})).toBe(`others may write to ${file}`)
    chmodSync(file, 0o644)
    chmodSync(path.dirname(file), 0o777)
    expect(explainDistrust(file, {})).toBe(`others may write to ${path.dirname(file)}`)
  })

  it('trusts a file in a sticky folder, where others cannot replace it', () => {
    chmodSync(path.dirname(file), 0o1777)
    expect(explainDistrust(file, {})).toBeUndefined()
  })

  it.each([
    ['RUNLEDGER_TRUSTED_FOLDERS', {}, true],
    ['GITHUB_WORKSPACE', {}, true],
    ['WORKSPACE', { JENKINS_URL: 'https://ci.example' }, true],
    ['WORKSPACE', {}, false],
  ])('trusts everything in the folders of %s', (name, env, isTrusted) => {
    chmodSync(file, 0o666)
    expect(explainDistrust(file, { ...env, [name]: folder }) === undefined).toBe(isTrusted)
    expect(explainDistrust(file, { ...env, [name]: path.join(folder, 'other') })).toContain('others may')
    expect(explainDistrust(file, { ...env, [name]: 'inner' })).toContain('others may')
  })
})
