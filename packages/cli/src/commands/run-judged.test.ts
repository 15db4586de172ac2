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
  it('ends with 0 if the command says that all failures are quarantined, by exit code and in the file', async () => {
    expect(await run('86', EXCUSED)).toEqual({ code: 0, err: '' })
    expect(await run('86', EXCUSED, EXCUSED)).toEqual({ code: 0, err: '' })
  })

  it.each([
    ['a failure beside the excused one', ['1', EXCUSED], 1],
    ['a failure', ['1', FAILED], 1],
    ['another exit code', ['2', EXCUSED], 2],
    ['a signal', ['killed', EXCUSED], 137],
    ['an execution that is not excused', ['86', FAILED, EXCUSED], 86],
    ['a line that is cut', ['86', EXCUSED, '{"is_exc'], 86],
  ])('ends with the exit code of the command after %s', async (_, args, code) => {
    expect(await run(...args)).toEqual({ code, err: '' })
  })

  it('says that no reporter decided, and passes a success on', async () => {
    const line =
      'runledger: no reporter decided on quarantined failures: set its option quarantine, or RUNLEDGER_QUARANTINE=1\n'
    expect(await run('1')).toEqual({ code: 1, err: line })
    expect(await run('86')).toEqual({ code: 86, err: line })
    expect(await run('0')).toEqual({ code: 0, err: '' })
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
