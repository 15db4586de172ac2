import { createUnit } from './cases/unit-cases'
import type { ContractCase } from './contract-case'
import type { World } from './world'

/** A unit with an image, metadata and an attachment; its serial number. */
async function createRecord(world: World): Promise<string> {
  const serialNumber = await createUnit(world)
  const params = { serial_number: serialNumber }
  const [image, certificate] = [await world.uploadAttachment(), await world.uploadAttachment()]
  await world.client.updateUnit({
    params,
    body: { image_id: image, metadata: { site: 'Lyon' }, attachments: [certificate] },
  })
  return serialNumber
}

async function createRunWithMetadata(world: World): Promise<string> {
  const id = await world.createRun()
  await world.client.updateRunMetadata({ params: { id }, body: { metadata: { site: 'Lyon' } } })
  return id
}

const ofUnit = (body: object): ContractCase => ({
  operation: 'updateUnit',
  answers: 'FORBIDDEN',
  input: async (world) => ({ params: { serial_number: await createRecord(world) }, body }),
})

const ofRun = (site: string | null): ContractCase => ({
  operation: 'updateRunMetadata',
  answers: 'FORBIDDEN',
  input: async (world) => ({
    params: { id: await createRunWithMetadata(world) },
    body: { metadata: { site } },
  }),
})

/** What takes something away from a record, beside the cases of the contract. */
export const STATION_ATTEMPTS: readonly ContractCase[] = [
  ofUnit({ image_id: '' }),
  ofUnit({ metadata: { site: null } }),
  ofUnit({ new_serial_number: 'MINE' }),
  ofRun(null),
  ofRun('Paris'),
]
