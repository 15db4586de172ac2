import { TestDetailSchema, TestPageSchema } from '@runledger/protocol'
import type { Service } from '../support/service'
import { ANY, KNOWN } from './quarantine-projects'

export const ANYTHING = ANY

/** What an execution with a quarantine gets. */
export function variablesOf({ url, apiKey, procedureId }: Service): Record<string, string | undefined> {
  return {
    RUNLEDGER_URL: url,
    RUNLEDGER_API_KEY: apiKey,
    RUNLEDGER_PROCEDURE_ID: procedureId,
    RUNLEDGER_QUARANTINE: '1',
  }
}

/** Quarantines what failed in the file: one test with its error, the other one with any. */
export async function quarantine(service: Service, file: string): Promise<void> {
  const { data } = TestPageSchema.parse(await (await service.get('/v2/tests?limit=100')).json())
  for (const test of data.filter((each) => each.file === file && [KNOWN, ANY].includes(each.name))) {
    const detail = TestDetailSchema.parse(await (await service.get(`/v2/tests/${test.id}`)).json())
    const which = test.name === ANY ? { any_error: true } : { fingerprint: detail.errors[0]?.fingerprint }
    const body = {
      test_id: test.id,
      ...which,
      owner: '@team',
      reason: 'a planted failure',
      ends_at: new Date(Date.now() + 24 * 60 * 60 * 1000).toISOString(),
    }
    const response = await fetch(`${service.url}/v2/quarantine`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (!response.ok) throw new Error(await response.text())
  }
}
