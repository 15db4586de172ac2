import type { CreateRunsResponse } from '@runledger/protocol'
import type { Build, RunToSend } from '../build'
import { PROJECTS } from '../catalogue'
import type { ProjectKey } from '../catalogue/project'
import { GOLDEN_UNIT, LINE, MODULE_STATION } from '../line/catalogue'
import type { BoardTests } from '../line/map-line'
import type { Year } from '../year'
import { doAtOnce } from './at-once'
import { Client, type ServiceAddress } from './client'

/** Counts of the data that was sent. */
export interface Sent {
  builds: number
  runs: number
  steps: number
  files: number
}

export interface SeedSettings extends ServiceAddress {
  signal?: AbortSignal
  /** Called with the number of builds or boards that were just sent. */
  onProgress?: (items: number) => void
}

/** Maximum number of runs in a request (`MAX_BATCH_RUNS` of the interface). */
const MAX_RUNS = 50

/**
 * Sends a year to a service through its HTTP interface: all projects and the line at once, each in order of start.
 * @throws if the service refuses a request
 */
export async function seed(year: Year, { onProgress, signal, ...address }: SeedSettings): Promise<Sent> {
  const seeder = new Seeder(year, new Client(address, signal), onProgress)
  return seeder.seed()
}

class Seeder {
  readonly #sent: Sent = { builds: 0, runs: 0, steps: 0, files: 0 }

  constructor(
    private readonly year: Year,
    private readonly client: Client,
    private readonly onProgress: SeedSettings['onProgress'],
  ) {}

  async seed(): Promise<Sent> {
    for (const { procedure } of PROJECTS) await this.client.send('POST /v2/procedures', procedure)
    for (const { name, email } of LINE.operators) await this.client.send('POST /v2/users', { name, email })
    const stations = await this.#createStations()
    const streams = this.year.projects.map((project) => this.#sendProject(project))
    await Promise.all([...streams, this.#sendLine(stations)])
    return this.#sent
  }

  /** A client for each station of the line, with the station's key. */
  async #createStations(): Promise<Client[]> {
    await this.client.send('POST /v2/procedures', LINE.finalTest)
    await this.client.send('POST /v2/procedures', LINE.moduleTest)
    const stations: Client[] = []
    for (const [index, name] of LINE.stations.entries()) {
      const { identifier } = index === MODULE_STATION ? LINE.moduleTest : LINE.finalTest
      const { id } = await this.client.send<{ id: string }>('POST /v2/stations', {
        name,
        procedure_id: identifier,
      })
      const wanted = { kind: 'station', name, station_id: id }
      const { key } = await this.client.send<{ key: string }>('POST /v2/keys', wanted)
      stations.push(this.client.withKey(key))
    }
    return stations
  }

  async #sendProject(project: ProjectKey): Promise<void> {
    let waiting: Build[] = []
    let runs = 0
    for (const build of this.year.listBuilds(project)) {
      if (runs + build.runs.length > MAX_RUNS || waiting.some(isUnended)) {
        await this.#sendBuilds(waiting)
        ;[waiting, runs] = [[], 0]
      }
      waiting.push(build)
      runs += build.runs.length
    }
    await this.#sendBuilds(waiting)
  }

  /** Sends the runs of some builds, then their files, then the notices of their executions. */
  async #sendBuilds(builds: readonly Build[]): Promise<void> {
    const runs = builds.flatMap((build) => build.runs)
    const ids = await this.#createRuns(this.client, runs)
    await doAtOnce([...runs.entries()], ([index, { files }]) => this.#sendFiles(ids[index] as string, files))
    const executions = builds.flatMap((build) => build.executions)
    await doAtOnce(executions, ({ id, request }) => this.client.send(`PUT /v2/executions/${id}`, request))
    this.#sent.builds += builds.length
    this.onProgress?.(builds.length)
  }

  async #createRuns(client: Client, runs: readonly Omit<RunToSend, 'files'>[]): Promise<string[]> {
    const body = {
      runs: runs.map(({ idempotencyKey, request }) => ({ idempotency_key: idempotencyKey, run: request })),
    }
    const { runs: results } = await client.send<CreateRunsResponse>('POST /v1/runs/batch', body)
    this.#sent.runs += runs.length
    this.#sent.steps += runs.reduce((sum, { request }) => sum + (request.steps?.length ?? 0), 0)
    return results.map(({ created, error }) => {
      if (!created) throw new Error(`a run was refused: ${error?.message}`)
      return created.id as string
    })
  }

  async #sendFiles(runId: string, files: RunToSend['files']): Promise<void> {
    if (files.length === 0) return
    const attachments: string[] = []
    for (const file of files) attachments.push(await this.client.upload(file))
    await this.client.send(`PATCH /v2/runs/${runId}`, { attachments })
    this.#sent.files += files.length
  }

  async #sendLine(stations: readonly Client[]): Promise<void> {
    let waiting: BoardTests[] = []
    for (const board of this.year.listBoards()) {
      waiting.push(board)
      if (waiting.length < MAX_RUNS) continue
      await this.#sendBoards(waiting, stations)
      waiting = []
    }
    await this.#sendBoards(waiting, stations)
  }

  /** Sends the modules first: the service must know a module before the test of its board. */
  async #sendBoards(boards: readonly BoardTests[], stations: readonly Client[]): Promise<void> {
    const modules = boards.flatMap(({ module }) => module ?? [])
    if (modules.length > 0) await this.#createRuns(stations[MODULE_STATION] as Client, modules)
    await doAtOnce(boards, (board) => this.#sendFinalTests(board, stations))
    this.onProgress?.(boards.length)
  }

  async #sendFinalTests(
    { finalTests, station, isGolden }: BoardTests,
    stations: readonly Client[],
  ): Promise<void> {
    for (const { idempotencyKey, request } of finalTests) {
      await stations[station]?.send('POST /v2/runs', request, { 'idempotency-key': idempotencyKey })
      this.#sent.runs += 1
      this.#sent.steps += request.phases?.length ?? 0
    }
    if (isGolden) await this.client.send(`PATCH /v2/units/${GOLDEN_UNIT}`, { sample: 'golden' })
  }
}

/** Whether an execution of the build never reported. Later builds must end later for the service too, so it is sent before them. */
function isUnended({ executions }: Build): boolean {
  return executions.some(({ request }) => request.ended_at === undefined)
}
