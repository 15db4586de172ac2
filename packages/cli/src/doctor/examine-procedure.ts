import { ApiError, messageOf, type Service } from '@runledger/core/tools'
import { randomUUID } from 'node:crypto'
import { isForbidden, type KeyOwner } from '../key-owner'
import type { ServiceSettings } from '../service-settings'
import { type Fault, fault, type Finding, notChecked, ok } from './finding'

interface Examination {
  settings: ServiceSettings
  owner: KeyOwner
  withRun: boolean
}

/** Checks whether runs of the procedure may be created: the key's rights, the service's limits, and a trial run. */
export async function examineProcedure({ client }: Service, given: Examination): Promise<Finding[]> {
  const { settings, owner, withRun } = given
  const id = settings.procedureId.value
  if (id === undefined) return [notChecked('procedure', 'only running the tests shows which it is')]
  const procedure = await check('procedure', () => findProcedureFault(client, { id, owner }), {
    passed: `${id} is known to the service, and the key may create its runs`,
  })
  if (procedure.status === 'fault') return [procedure]
  if (owner.kind !== 'user')
    return [
      procedure,
      notChecked('limits', `a ${owner.kind} key may not read them`),
      notChecked('run', `a ${owner.kind} key may not delete one`),
    ]
  const limits = await check('limits', () => findLimitFault(client), { passed: 'the service takes runs' })
  if (limits.status === 'fault') return [procedure, limits]
  if (owner.role === 'member')
    return [procedure, limits, notChecked('run', 'a key with the role member may not delete one')]
  if (!withRun) return [procedure, limits, notChecked('run', 'left out by --no-run')]
  return [procedure, limits, await check('run', () => tryRun(client, id), { passed: 'created and deleted' })]
}

type Client = Service['client']
async function check(
  name: string,
  find: () => Promise<Fault | undefined>,
  { passed }: { passed: string },
): Promise<Finding> {
  try {
    const found = await find()
    return found ? fault(name, found) : ok(name, passed)
  } catch (error) {
    if (error instanceof ApiError && error.statusCode === 404)
      return notChecked(name, `the service has no such operation: ${messageOf(error)}`)
    return fault(name, {
      code: `${name}-failed`,
      message: messageOf(error),
      fix: 'See the log of the service.',
    })
  }
}

/** Why the key creates no runs of the procedure. @throws ApiError, NetworkError */
export async function findProcedureFault(
  client: Client,
  { id, owner }: { id: string; owner: KeyOwner },
): Promise<Fault | undefined> {
  if (owner.kind === 'project') return findFaultOfProjectKey(client, id)
  let found: { id: string; identifier: string }
  try {
    found = await client.getProcedure({ params: { id } })
  } catch (error) {
    if (!(error instanceof ApiError) || error.statusCode !== 404) throw error
    return {
      code: 'procedure-unknown',
      message: messageOf(error),
      fix: `Create it (npx runledger init --procedure ${id}), or correct procedureId (RUNLEDGER_PROCEDURE_ID).`,
    }
  }
  if (owner.kind === 'user') return undefined
  const station = await client.getCurrentStation()
  if (station.procedures.some((each) => each.id === found.id)) return undefined
  return {
    code: 'procedure-not-linked',
    message: `the station ${station.name} is not linked to the procedure ${id}`,
    fix: `Link it with a user key: npx runledger call linkStationProcedure id=${station.id} procedure_id=${found.id}`,
  }
}

/** A project key gets the quarantine of its own procedure, and nothing else. */
async function findFaultOfProjectKey(client: Client, id: string): Promise<Fault | undefined> {
  try {
    await client.getQuarantineList({ query: { procedure_id: id } })
    return undefined
  } catch (error) {
    if (!isForbidden(error)) throw error
    return {
      code: 'procedure-of-another-key',
      message: messageOf(error),
      fix: 'Set RUNLEDGER_API_KEY to a project key of that procedure, or correct procedureId (RUNLEDGER_PROCEDURE_ID).',
    }
  }
}

async function findLimitFault(client: Client): Promise<Fault | undefined> {
  const settings = await client.getSettings()
  if (settings['plan.upgrade_required'])
    return {
      code: 'plan-upgrade-required',
      message: 'the service takes no runs: its setting plan.upgrade_required is on',
      fix: 'Ask the operator of the service to turn it off or to upgrade the plan.',
    }
  const limit = settings['limits.runs_per_month']
  // No operation tells how much of a larger limit is left: the trial run does.
  if (limit !== 0) return undefined
  return {
    code: 'monthly-limit',
    message: `the service takes no more runs this month: its setting limits.runs_per_month is 0`,
    fix: 'Ask the operator of the service to raise it: until then runs wait in the spool.',
  }
}

/** Tries a run on a unit of its own, and deletes both. */
async function tryRun(client: Client, procedureId: string): Promise<Fault | undefined> {
  const serialNumber = `runledger-doctor-${randomUUID().slice(0, 8)}`
  const deleteUnit = () => client.deleteUnits({ query: { serial_numbers: [serialNumber] } })
  try {
    await client.createV1Run({
      body: {
        procedure_id: procedureId,
        unit_under_test: { serial_number: serialNumber },
        run_passed: true,
        duration: 'PT0S',
        started_at: new Date().toISOString(),
      },
    })
  } catch (error) {
    if (error instanceof ApiError && error.statusCode < 500)
      return {
        code: 'run-refused',
        message: messageOf(error),
        fix: 'Do what the service says, or ask its operator: every run would be rejected like this one.',
      }
    // It may have been created all the same.
    await deleteUnit().catch(() => undefined)
    return {
      code: 'run-unanswered',
      message: messageOf(error),
      fix: `See the log of the service. If it has a unit ${serialNumber}, delete that.`,
    }
  }
  try {
    await deleteUnit()
    return undefined
  } catch (error) {
    return {
      code: 'run-not-deleted',
      message: messageOf(error),
      fix: `Delete the unit ${serialNumber} with its run by hand.`,
    }
  }
}
