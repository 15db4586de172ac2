import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { quarantine, variablesOf } from '../frameworks/quarantine-entries'
import {
  type Mutation,
  NEWEST_KINDS,
  type QuarantineProject,
  reasonOf,
} from '../frameworks/quarantine-projects'
import { Random } from '../support/random'
import { type Service, startService } from '../support/service'

// npm run soak -- quarantine
const EXECUTIONS = Number(process.env['SOAK_EXECUTIONS'] ?? '4')
const SEED = process.env['SOAK_SEED'] ?? '1'

/** What happens to the list. While the service is down, the kept list lets an execution pass. */
const LISTS = ['as it is', 'service down', 'forged', 'another procedure'] as const

interface Drawn {
  mutation: Mutation | undefined
  list: (typeof LISTS)[number]
}

describe.each(NEWEST_KINDS)('executions of $framework at random', (kind) => {
  let service: Service
  let project: QuarantineProject

  beforeAll(async () => {
    service = await startService()
    project = await kind.create()
    await project.run(variablesOf(service))
    await quarantine(service, kind.file)
    // The list is kept for when the service is down.
    await project.run(variablesOf(service))
  })

  afterAll(async () => {
    await project.remove()
    await service.stop()
  })

  it(`end green only if every failure is quarantined (seed ${SEED})`, async () => {
    const random = new Random(`${SEED} ${kind.framework}`)
    const wrong: string[] = []
    for (let count = 0; count < EXECUTIONS / NEWEST_KINDS.length; count += 1) {
      const drawn: Drawn = {
        mutation: random.pick([undefined, undefined, ...kind.mutations]),
        list: random.pick([...LISTS, 'as it is', 'as it is']),
      }
      const { exitCode, stderr } = await project.run(changeList(drawn, variablesOf(service)))
      const hasList = drawn.list === 'as it is' || drawn.list === 'service down'
      const reason = hasList && drawn.mutation ? reasonOf(drawn.mutation, kind.framework) : undefined
      const mayPass = drawn.mutation === undefined && hasList
      if ((exitCode === 0) !== mayPass || (reason && !reason.test(stderr)))
        wrong.push(`${JSON.stringify(drawn)} ended with ${exitCode}: ${stderr}`)
    }
    expect(wrong).toEqual([])
  })
})

function changeList({ mutation, list }: Drawn, env: Record<string, string | undefined>) {
  const changed = { ...env, MUTATION: mutation, RUNLEDGER_DEADLINE_MS: '3000' }
  // The kept list belongs to one address, so the address stays and only the connection fails.
  if (list === 'service down') return { ...changed, HTTP_PROXY: 'http://127.0.0.1:9', NO_PROXY: '' }
  if (list === 'forged') return { ...changed, RUNLEDGER_API_KEY: `${env['RUNLEDGER_API_KEY']}x` }
  if (list === 'another procedure') return { ...changed, RUNLEDGER_PROCEDURE_ID: 'ANOTHER' }
  return changed
}
