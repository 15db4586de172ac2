import { spawnSync } from 'node:child_process'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { drawCases } from '../support/draw'
import type { Project } from '../support/project'
import { startService, type Service } from '../support/service'
import { FRAMEWORKS, openProject } from './delivery-projects'

const OUR_LINE = /^Runledger: .*$/gm
const NOBODY = 'http://127.0.0.1:9'

/** Mounts a file system of so many bytes over a folder, for one command and what it starts. */
const MOUNT = 'mount -t tmpfs -o size="$SIZE",mode=700 none "$FOLDER" && exec "$@"'
const canMount =
  spawnSync('unshare', ['-rm', 'sh', '-c', MOUNT, 'sh', 'true'], {
    env: { ...process.env, SIZE: '64k', FOLDER: '/mnt' },
  }).status === 0

let service: Service

beforeAll(async () => {
  service = await startService()
})

afterAll(() => service.stop())

/** A folder in which nobody can make anything, root neither. */
const READ_ONLY = '/proc/runledger-spool'

/** A run of its own has more than the small disk has room for. */
const TOO_MUCH = { RUNLEDGER_REPORT_VARIABLES: JSON.stringify({ note: 'x'.repeat(4096) }) }

interface Place {
  name: string
  /** CommandContext in which the spool cannot be written. */
  prepare: (project: Project) => Promise<{ spoolDir: string; node?: string }>
  isHere: boolean
}

const PLACES: Place[] = [
  { name: 'a read-only spool folder', prepare: async () => ({ spoolDir: READ_ONLY }), isHere: true },
  { name: 'a full disk', prepare: fillDisk, isHere: canMount },
]

/** A disk for the spool alone, with room for one small file. */
async function fillDisk({ dir }: Project): Promise<{ spoolDir: string; node: string }> {
  const spoolDir = path.join(dir, 'small-disk')
  await mkdir(spoolDir)
  const node = path.join(dir, 'node-on-a-full-disk')
  await writeFile(
    node,
    `#!/bin/sh\nSIZE=4k FOLDER='${spoolDir}' exec unshare -rm sh -c '${MOUNT}' sh '${process.execPath}' "$@"\n`,
  )
  await chmod(node, 0o755)
  return { spoolDir, node }
}

describe.each(PLACES.filter(({ isHere }) => isHere))('$name', ({ name, prepare }) => {
  const drawn = drawCases(`frameworks with ${name}`, FRAMEWORKS, 2)

  it.each(drawn)(
    'leaves the tests of %s alone, and its runs on record, with one warning',
    async (framework) => {
      for (const fails of [false, true]) {
        const project = await openProject({ framework, options: '{}', fails })
        const { spoolDir, node } = await prepare(project)
        const before = (await service.listRuns()).length
        const { exitCode, stdout, stderr } = await project.run({
          service,
          env: { RUNLEDGER_SPOOL_DIR: spoolDir, ...TOO_MUCH },
          ...(node && { node }),
        })
        expect(exitCode, stdout + stderr).toBe(fails ? 1 : 0)
        const lines = stderr.match(OUR_LINE) ?? []
        expect(
          lines.filter((line) => line.includes('cannot be used')),
          stderr,
        ).toHaveLength(1)
        expect(
          lines.filter((line) => line.includes('2 runs on record')),
          stderr,
        ).toHaveLength(1)
        expect(lines).toHaveLength(2)
        expect((await service.listRuns()).length).toBe(before + 2)
        await project.remove()
      }
    },
  )

  it.each(drawn)('leaves the tests of %s alone when no service answers either', async (framework) => {
    const project = await openProject({ framework, options: '{ deadlineMs: 3000, maxRetries: 0 }' })
    const { spoolDir, node } = await prepare(project)
    const { exitCode, stdout, stderr } = await project.run({
      service,
      env: { RUNLEDGER_SPOOL_DIR: spoolDir, RUNLEDGER_URL: NOBODY, ...TOO_MUCH },
      ...(node && { node }),
    })
    expect(exitCode, stdout + stderr).toBe(0)
    const lines = stderr.match(OUR_LINE) ?? []
    expect(
      lines.filter((line) => line.includes('cannot be used')),
      stderr,
    ).toHaveLength(1)
    expect(lines.length, stderr).toBeLessThanOrEqual(2)
    await project.remove()
  })
})
