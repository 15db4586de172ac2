import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { main } from '../main'

let folder: string
let script: string

/** Stands for a framework with a reporter: writes its arguments to the file of verdicts, and ends with the exit code that the first says. */
const SCRIPT = `import { appendFileSync } from 'node:fs'
const [code, ...lines] = process.argv.slice(2)
for (const line of lines) appendFileSync(process.env.RUNLEDGER_VERDICT_FILE, line + '\\n')
if (code === 'killed') process.kill(process.pid, 'SIGKILL')
else process.exitCode = Number(code)
`

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'runledger-judged-'))
  script = path.join(folder, 'framework.mjs')
  await writeFile(script, SCRIPT)
})

afterAll(() => rm(folder, { recursive: true, force: true }))

async function run(...args: string[]) {
  let err = ''
  const output = { out: () => undefined, err: (text: string) => void (err += `${text}\n`) }
  const code = await main(['run', '--', process.execPath, script, ...args], output as never, {
    env: { PATH: process.env['PATH'] },
    cwd: folder,
  })
  return { code, err }
}

const EXCUSED = '{"is_excused":true}'
const FAILED = '{"is_excused":false}'

describe('runledger run -- COMMAND', () => {
  it('ends with the exit code of the command, and says what its reporter could not know', async () => {
    const remark = (code: number) =>
      `runledger: every failure is quarantined, but the command ended with ${code} for another reason\n`
    expect(await run('0', EXCUSED)).toEqual({ code: 0, err: '' })
    expect(await run('1', FAILED)).toEqual({ code: 1, err: '' })
    expect(await run('1', FAILED, EXCUSED)).toEqual({ code: 1, err: '' })
    expect(await run('1', '{"is_exc')).toEqual({ code: 1, err: '' })
    expect(await run('2', EXCUSED)).toEqual({ code: 2, err: remark(2) })
    expect(await run('killed', EXCUSED)).toEqual({ code: 137, err: remark(137) })
  })

  it('says that no reporter decided, and passes a success on', async () => {
    const line =
      'runledger: no reporter decided on quarantined failures: set its option quarantine, or RUNLEDGER_QUARANTINE=1\n'
    expect(await run('1')).toEqual({ code: 1, err: line })
    expect(await run('0')).toEqual({ code: 0, err: '' })
  })

  it.each([
    ['words before --', ['run', 'echo', '--', 'echo'], 'give either the id of a run, or after -- a command'],
    ['options of --failed', ['run', '--commit', 'abc', '--', 'echo'], '--commit has no meaning'],
    ['--json', ['run', '--json', '--', 'echo'], '--json has no meaning'],
  ])('refuses %s', async (_, args, message) => {
    let err = ''
    const output = { out: () => undefined, err: (text: string) => void (err += text) }
    expect(await main(args, output as never, { env: {}, cwd: folder })).toBe(2)
    expect(err).toContain(message)
  })

  it('takes a word after -- as a command, not as the id of a run', async () => {
    let err = ''
    const output = { out: () => undefined, err: (text: string) => void (err += text) }
    const code = await main(['run', '--', 'no-such-program-of-anyone'], output as never, {
      env: {},
      cwd: folder,
    })
    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringContaining('cannot run no-such-program-of-anyone') as string,
    })
  })
})
