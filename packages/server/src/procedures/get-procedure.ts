import { formatTimestampUs, type ProcedureDetail } from '@runledger/protocol'
import type { Context } from '../context'
import type { Query } from '../database/database'
import { listLinkedStations } from '../stations/station-procedure-store'
import { mapPerson } from '../users/map-person'
import { findUser } from '../users/user-store'
import { findKnownProcedure } from './find-known-procedure'
import { countRunsOfProcedure, listRecentRuns } from './procedure-run-store'
import { mapRepositorySettings } from './repository-settings'

const RECENT_RUNS = 10

/** `GET /v2/procedures/{id}`. @throws HttpError NOT_FOUND */
export async function getProcedure({ database }: Context, identifierOrId: string): Promise<ProcedureDetail> {
  const { query } = database
  const procedure = await findKnownProcedure(query, identifierOrId)
  const runs = await listRecentRuns(query, procedure.id, RECENT_RUNS)
  const stations = await listLinkedStations(query, procedure.id)
  return {
    id: procedure.public_id,
    identifier: procedure.identifier,
    name: procedure.name,
    created_at: formatTimestampUs(procedure.created_at_us),
    created_by_user: await findCreator(query, procedure.created_by_user_id),
    linkedRepository: null,
    runs_count: await countRunsOfProcedure(query, procedure.id),
    recent_runs: runs.map((run) => ({
      id: run.public_id,
      started_at: formatTimestampUs(run.started_at_us),
      outcome: run.outcome,
      unit: { serial_number: run.serial_number },
    })),
    stations: stations.map(({ public_id: id, name }) => ({ id, name, identifier: null, image: null })),
    ...mapRepositorySettings(procedure.repository_settings),
  }
}

async function findCreator(query: Query, userId: number | null): Promise<ProcedureDetail['created_by_user']> {
  const user = userId === null ? undefined : await findUser(query, userId)
  if (!user) return null
  return mapPerson({ user_public_id: user.public_id, user_name: user.name, user_email: user.email })
}
