import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { drawCases } from '../support/draw'
import { type Service, startService } from '../support/service'
import { quarantine, ANYTHING, variablesOf } from './quarantine-entries'
import { KNOWN, QUARANTINE_KINDS, type QuarantineProject, reasonOf } from './quarantine-projects'

/** How many mutations of each framework and version CI runs. */
const DRAWN = 5

describe.each(QUARANTINE_KINDS)('quarantine with $framework $version', (kind) => {
  let service: Service
  let project: QuarantineProject
  const mutations = drawCases(`mutations with ${kind.framework} ${kind.version}`, kind.mutations, DRAWN)

  beforeAll(async () => {
    service = await startService()
    project = await kind.create()
  })

  afterAll(async () => {
    await project.remove()
    await service.stop()
  })

  it('passes while every failure is quarantined, and says why it fails after a mutation', async () => {
    const env = variablesOf(service)
    const before = await project.run(env)
    expect(before.exitCode, before.stderr).toBe(1)
    expect(before.stderr).toContain(`"${KNOWN}" is not quarantined`)
    await quarantine(service, kind.file)
    const green = await project.run(env)
    expect(green.exitCode, green.stdout + green.stderr).toBe(0)
    expect(green.stderr).toContain(
      `Runledger: 2 failures are quarantined (${KNOWN}, ${ANYTHING}), and nothing else failed`,
    )
    expect((await project.run({ ...env, RUNLEDGER_QUARANTINE: undefined })).exitCode).toBe(1)
    for (const mutation of mutations) {
      const { exitCode, stderr } = await project.run({ ...env, MUTATION: mutation })
      expect.soft(exitCode, `${mutation}: ${stderr}`).not.toBe(0)
      const reason = reasonOf(mutation, kind.framework)
      if (reason) expect.soft(stderr, mutation).toMatch(reason)
    }
  })
})
