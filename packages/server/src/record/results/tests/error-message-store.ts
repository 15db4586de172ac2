import { sql } from 'kysely'
import type { Query } from '../../../storage/database/database'

interface ErrorText {
  fingerprint: string
  message: string
  /** `file:line`. */
  location: string | null
}

/** A group of errors, and a run that had one of them. */
interface AskedError {
  id: number
  runId: number
}

/** What errors said in these runs, by the keys of their groups. */
export async function listErrorMessages(
  query: Query,
  asked: readonly AskedError[],
): Promise<Map<number, ErrorText>> {
  const found = await Promise.all(
    asked.map(async ({ id, runId }) => {
      const { rows } = await sql<{
        fingerprint: string
        message: string
        file: string | null
        line: number | null
      }>`SELECT fingerprint, message, file, line FROM phase_errors
          JOIN errors ON errors.id = phase_errors.error_id
          JOIN error_groups ON error_groups.id = phase_errors.group_id
        WHERE phase_errors.run_id = ${runId} AND phase_errors.group_id = ${id} LIMIT 1`.execute(query)
      return [id, rows[0]] as const
    }),
  )
  return new Map(
    found.flatMap(([id, row]) =>
      row
        ? [
            [
              id,
              {
                fingerprint: row.fingerprint,
                message: row.message,
                location: row.file === null ? null : `${row.file}${row.line === null ? '' : `:${row.line}`}`,
              },
            ] as const,
          ]
        : [],
    ),
  )
}
