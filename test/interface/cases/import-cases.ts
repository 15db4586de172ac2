import { expect } from 'vitest'
import type { ContractCase } from '../contract-case'
import type { World } from '../world'
import { UNKNOWN_ID } from './unknown-id'

const OPENHTF = { importer: 'OPENHTF' }

/** A report of OpenHTF that names the world's procedure, or another one. */
function report(world: World, procedureId = world.procedureId): string {
  return JSON.stringify({
    dut_id: world.unique('SN'),
    start_time_millis: 1_700_000_000_000,
    outcome: 'PASS',
    metadata: { procedure_id: procedureId, part_number: 'PN-1' },
    phases: [{ name: 'one', outcome: 'PASS', start_time_millis: 1_700_000_000_000 }],
  })
}

const uploadReport = (world: World, procedureId?: string) =>
  world.server.upload('report.json', report(world, procedureId))

async function uploadAsStation(world: World): Promise<string> {
  const headers = { authorization: `Bearer ${world.keys.station}` }
  const initialized = await world.server.send('POST', '/v1/uploads/initialize', { name: 'r.json' }, headers)
  const { id, uploadUrl } = (await initialized.json()) as { id: string; uploadUrl: string }
  await fetch(uploadUrl, { method: 'PUT', body: report(world) })
  return id
}

const MAPPING = {
  fields: {
    serial_number: { column: 'SN' },
    part_number: { value: 'PN-1' },
    outcome: { value: 'PASS' as const },
    started_at: { value: '2026-11-20T09:30:00Z' },
    ended_at: { value: '2026-11-20T09:31:00Z' },
  },
  measurements: { layout: 'wide', columns: [{ column: 'Voltage', units: 'V' }] },
}

async function tabular(world: World, change: object = {}) {
  const upload_id = await world.server.upload('results.csv', `SN,Voltage\n${world.unique('SN')},3.3\n`)
  return { body: { upload_id, procedure_id: world.procedureId, mapping: MAPPING, ...change } }
}

export const IMPORT_CASES: readonly ContractCase[] = [
  {
    operation: 'importV1File',
    answers: 'ok',
    as: ['user'],
    input: async (world) => ({ body: { upload_id: await uploadReport(world), ...OPENHTF } }),
  },
  {
    operation: 'importV1File',
    answers: 'ok',
    when: 'it uploaded the file itself',
    as: ['station'],
    input: async (world) => ({ body: { upload_id: await uploadAsStation(world), ...OPENHTF } }),
  },
  { operation: 'importV1File', answers: 'BAD_REQUEST', input: () => ({ body: OPENHTF }) },
  {
    operation: 'importV1File',
    answers: 'BAD_REQUEST',
    when: 'the file cannot be read',
    input: async (world) => ({ body: { upload_id: await world.uploadAttachment(), ...OPENHTF } }),
  },
  {
    operation: 'importV1File',
    answers: 'NOT_FOUND',
    when: 'the upload is unknown',
    input: () => ({ body: { upload_id: UNKNOWN_ID, ...OPENHTF } }),
  },
  {
    operation: 'importV1File',
    answers: 'NOT_FOUND',
    when: 'the procedure is unknown',
    input: async (world) => ({ body: { upload_id: await uploadReport(world, UNKNOWN_ID), ...OPENHTF } }),
  },
  {
    operation: 'importV1File',
    answers: 'CONFLICT',
    when: 'the upload belongs to a run',
    input: async (world) => {
      const upload_id = await uploadReport(world)
      await world.client.syncV1Upload({ body: { upload_id, run_id: await world.createRun() } })
      return { body: { upload_id, ...OPENHTF } }
    },
  },
  { operation: 'getV1Streaming', answers: 'ok', input: () => ({}) },
  {
    operation: 'importStructuredFiles',
    answers: 'ok',
    input: async (world) => ({
      body: { items: [{ upload_id: await uploadReport(world), importer: 'OPENHTF' as const }] },
    }),
  },
  { operation: 'importStructuredFiles', answers: 'BAD_REQUEST', input: () => ({ body: { items: [] } }) },
  {
    operation: 'importTabularFile',
    answers: 'ok',
    as: ['user'],
    input: (world) => tabular(world),
    check: async ({ id, file_import_id }: { id: string; file_import_id: string }, world) => {
      const run = await world.client.getRun({ params: { id } })
      expect(run.phases[0]?.measurements[0]).toMatchObject({ name: 'Voltage', measured_value: 3.3 })
      expect(run.attachments).toMatchObject([{ id: file_import_id, name: 'results.csv' }])
    },
  },
  {
    operation: 'importTabularFile',
    answers: 'BAD_REQUEST',
    when: 'it has a template too',
    input: (world) => tabular(world, { template_id: 'x' }),
  },
  {
    operation: 'importTabularFile',
    answers: 'BAD_REQUEST',
    when: 'the file lacks a column',
    input: async (world) => tabular(world, { upload_id: await world.uploadAttachment() }),
  },
  {
    operation: 'importTabularFile',
    answers: 'NOT_FOUND',
    when: 'the template is unknown',
    input: (world) => tabular(world, { mapping: undefined, template_id: 'x' }),
  },
  {
    operation: 'importTabularFile',
    answers: 'CONFLICT',
    when: 'the upload belongs to a run',
    input: async (world) => {
      const asked = await tabular(world)
      await world.client.syncV1Upload({
        body: { upload_id: asked.body.upload_id, run_id: await world.createRun() },
      })
      return asked
    },
  },
]
