import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { ExecutionLog } from './execution-log'
import { LOG_VERSION } from './log-lines'
import { describeIgnoredHomes, findSpoolDir, findSpools } from './spool-place'

let folder: string
let HOME: string

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'runledger-place-'))
  HOME = path.join(folder, 'ada')
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

it('is the option’s folder, relative to the project root', () => {
  expect(findSpoolDir('kept/runs', { HOME }, '/work/widget')).toBe(path.resolve('/work/widget/kept/runs'))
})

it.runIf(process.platform === 'linux')('is the user’s and the project’s own by default', () => {
  const widget = findSpoolDir(undefined, { HOME }, '/work/widget')
  expect(path.relative(HOME, widget)).toMatch(/^\.local\/state\/runledger\/spool\/widget-[0-9a-f]{16}$/)
  expect(findSpoolDir(undefined, { HOME }, '/elsewhere/widget')).not.toBe(widget)
  expect(findSpoolDir(undefined, { HOME }, '/work/widget/')).toBe(widget)
  expect(findSpoolDir(undefined, { HOME: path.join(folder, 'bob') }, '/work/widget')).not.toBe(widget)
})

it.runIf(process.platform === 'linux')('heeds XDG_STATE_HOME, and does without a home', () => {
  const XDG_STATE_HOME = path.join(folder, 'state')
  expect(findSpoolDir(undefined, { HOME, XDG_STATE_HOME }, '/work/widget')).toMatch(
    `${XDG_STATE_HOME}/runledger/spool/widget-`,
  )
  expect(findSpoolDir(undefined, { HOME, XDG_STATE_HOME: 'relative' }, '/w')).toMatch(HOME)
  expect(findSpoolDir(undefined, {}, '/w')).toContain(`runledger-${process.getuid?.()}`)
})

it.runIf(process.platform === 'linux')('is among temporary files where the home cannot be written', () => {
  const among = `runledger-${process.getuid?.()}`
  const file = path.join(folder, 'file')
  writeFileSync(file, '')
  expect(findSpoolDir(undefined, { HOME: file }, '/w')).toContain(among)
  const locked = path.join(folder, 'locked')
  mkdirSync(path.join(locked, '.local/state/runledger'), { recursive: true })
  chmodSync(path.join(locked, '.local/state/runledger'), 0o500)
  const isRoot = process.getuid?.() === 0
  expect(findSpoolDir(undefined, { HOME: locked }, '/w')).toContain(isRoot ? locked : among)
  expect(findSpoolDir(undefined, { HOME: file, XDG_STATE_HOME: folder }, '/w')).toContain(folder)
})

it.runIf(process.platform === 'linux')('is not in a folder there that others can write', () => {
  const file = path.join(folder, 'home')
  writeFileSync(file, '')
  vi.stubEnv('TMPDIR', folder)
  const among = path.join(folder, `runledger-${process.getuid?.()}`)
  expect(findSpoolDir(undefined, { HOME: file }, '/w')).toContain(among)
  chmodSync(among, 0o777)
  expect(findSpoolDir(undefined, { HOME: file }, '/w')).toContain(file)
  rmSync(among, { recursive: true })
  symlinkSync(folder, among)
  expect(findSpoolDir(undefined, { HOME: file }, '/w')).toContain(file)
  vi.unstubAllEnvs()
})

it.runIf(process.platform === 'linux')(
  'is not in a home that others can write, whose spools are named',
  () => {
    const home = path.join(folder, 'open')
    mkdirSync(home)
    chmodSync(home, 0o777)
    const among = `runledger-${process.getuid?.()}`
    expect(findSpoolDir(undefined, { HOME: home }, '/w')).toContain(among)
    expect(describeIgnoredHomes({ HOME: home })).toEqual([])
    const spools = path.join(home, '.local/state/runledger/spool')
    mkdirSync(spools, { recursive: true })
    chmodSync(spools, 0o777)
    expect(findSpoolDir(undefined, { HOME: home }, '/w')).toContain(among)
    expect(describeIgnoredHomes({ HOME: home })).toEqual([
      `${spools} is ignored: others may write to ${spools}. If it is yours, set RUNLEDGER_TRUSTED_FOLDERS=${spools}`,
    ])
    expect(findSpoolDir(undefined, { HOME: home, RUNLEDGER_TRUSTED_FOLDERS: home }, '/w')).toContain(spools)
  },
)

it.runIf(process.platform === 'linux')('is found again when the home can be written at last', async () => {
  vi.stubEnv('TMPDIR', path.join(folder, 'tmp'))
  mkdirSync(path.join(folder, 'tmp'))
  const projectRoot = path.join(folder, 'project')
  mkdirSync(projectRoot)
  const home = path.join(folder, 'late')
  writeFileSync(home, '')
  const among = findSpoolDir(undefined, { HOME: home }, projectRoot)
  const log = await ExecutionLog.create(among, {
    kind: 'execution',
    version: LOG_VERSION,
    createdAt: new Date().toISOString(),
    service: { url: 'http://127.0.0.1', createPath: '/runs', updatePath: '/runs' },
    projectRoot,
  })
  await log.release()
  rmSync(home)
  mkdirSync(home)
  const found = await findSpools(projectRoot, { HOME: home })
  vi.unstubAllEnvs()
  expect(found.map(({ spool }) => spool.dir)).toEqual([
    findSpoolDir(undefined, { HOME: home }, projectRoot),
    among,
  ])
})
