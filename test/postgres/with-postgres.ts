import { connect, createServer, type AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe } from 'vitest'
import { type Postgres, startPostgres } from '../support/postgres'

/** Tests with a PostgreSQL of their own. */
export function describeWithPostgres(name: string, tests: (postgres: () => Postgres) => void): void {
  describe(name, { tags: ['postgresql'] }, () => {
    let postgres: Postgres

    beforeAll(async () => {
      postgres = await startPostgres()
    })

    afterAll(() => postgres.stop())

    tests(() => postgres)
  })
}

/** Does work while the server is gone, which is back for the next test whatever comes of it. */
export async function whileGone(postgres: Postgres, work: () => Promise<void>): Promise<void> {
  await postgres.kill()
  try {
    await work()
  } finally {
    await postgres.start()
  }
}

interface Link {
  /** Address of the same database through the link. */
  url: string
  /**
   * Breaks the next connection on which such a statement is committed; the server gets that COMMIT a moment later.
   * Returns the server's answer to it, which is "COMMIT" or a failure.
   */
  cutCommitOf(statement: string): Promise<string>
  stop(): void
}

interface Cut {
  statement: string
  end(answer: string): void
}

/** A link to the server that breaks on order. */
export async function startLink(url: string): Promise<Link> {
  let cut: Cut | undefined
  const link = createServer((near) => {
    const far = connect(Number(new URL(url).port), '127.0.0.1')
    let isNext = false
    near.on('error', () => undefined).on('close', () => !far.writableEnded && far.end())
    far.on('error', () => undefined).on('close', () => near.destroy())
    far.pipe(near)
    near.on('data', (bytes) => {
      isNext ||= cut !== undefined && bytes.includes(cut.statement)
      if (!(isNext && cut && bytes.includes('COMMIT'))) return void far.write(bytes)
      const { end } = cut
      cut = undefined
      near.removeAllListeners('close').destroy()
      far.resume().once('data', (answer) => end(String(answer)))
      void sleep(300).then(() => far.end(bytes))
    })
  })
  await new Promise<void>((resolve) => link.listen(0, '127.0.0.1', resolve))
  const { port } = link.address() as AddressInfo
  return {
    url: Object.assign(new URL(url), { port: String(port) }).href,
    cutCommitOf: (statement) => new Promise((end) => (cut = { statement, end })),
    stop: () => link.close(),
  }
}
