import { fork, type ChildProcess } from 'node:child_process'
import { constants, setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { KeyClashError, type Statement, type StatementResult } from '../database'
import { toBindable } from './sqlite-driver'

/** What sqlite-worker.cjs does. The writes of a group share a transaction, each undone alone when it fails. */
export type PeerMessage =
  | { do: 'run' | 'runInWrite'; statements: readonly Statement[]; rows: boolean }
  | { do: 'endWrite'; keep: boolean }
  | { do: 'begin' | 'beginWrite' | 'commit' | 'optimize' | 'close' }

/** Of the last statement; its rows when they were asked for. */
export interface PeerResult extends StatementResult {
  /** Time of the processor that it took; of a process only. */
  busyMs?: number
}

export interface PeerOptions {
  /** The module that has SQLite. */
  module: string
  path: string
  pragmas: readonly string[]
  /** The write-ahead log is begun anew when it is larger. */
  maxWalBytes?: number
}

interface Answer extends PeerResult {
  id: number
  error?: { message: string; code?: string; errcode?: number }
}

const WORKER_FILE = fileURLToPath(new URL('./sqlite-worker.cjs', import.meta.url))

/** A process that reads has ended by itself, or by the kernel when memory was short. */
export class ReaderEndedError extends Error {
  override name = 'ReaderEndedError'
}

/** One SQLite connection outside of this thread. Messages are worked off in the order in which they were posted. */
export class SqlitePeer {
  /** Resolves when it ends by itself, with the reason. */
  readonly ended: Promise<Error>
  readonly #channel: Channel
  readonly #waiting = new Map<number, { resolve: (result: PeerResult) => void; reject: (e: Error) => void }>()
  #outbox: object[] = []
  #lastId = 0
  #failure: Error | undefined

  constructor(channel: Channel) {
    this.#channel = channel
    this.ended = new Promise((resolve) =>
      channel.listen({
        message: (answers) => answers.forEach((answer) => this.#settle(answer)),
        end: (error) => {
          if (!this.#failure) resolve(error)
          this.fail(error)
        },
      }),
    )
  }

  /** Sends without waiting for an answer. */
  post(message: PeerMessage & { id?: number }): void {
    if (this.#failure) return
    this.#outbox.push('statements' in message ? withBindableValues(message) : message)
    if (this.#outbox.length === 1) process.nextTick(() => this.#flush())
  }

  ask(message: PeerMessage): Promise<PeerResult> {
    if (this.#failure) return Promise.reject(this.#failure)
    const id = (this.#lastId += 1)
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject })
      this.post({ ...message, id })
    })
  }

  /** Waking the other side is what costs: what is posted together goes in one message. */
  #flush(): void {
    const messages = this.#outbox
    this.#outbox = []
    if (!this.#failure) this.#channel.send(messages)
  }

  get isOver(): boolean {
    return this.#failure !== undefined
  }

  /** Whoever waits for an answer gets this error, and so does whoever asks from now on. */
  fail(error: Error): void {
    this.#failure ??= error
    for (const { reject } of this.#waiting.values()) reject(this.#failure)
    this.#waiting.clear()
  }

  /** Lets everybody else have the processor first, if it is a process, for good. */
  lowerPriority(): void {
    this.#channel.lowerPriority?.()
  }

  /** Ends it, also in the middle of a statement when it is a process. */
  async kill(): Promise<void> {
    this.fail(new Error('The connection to the database was closed.'))
    await this.#channel.kill()
  }

  #settle({ id, error, ...result }: Answer): void {
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    if (error) waiting?.reject(toError(error))
    else waiting?.resolve(result)
  }
}

interface Channel {
  send(messages: object[]): void
  listen(listener: { message: (answers: Answer[]) => void; end: (error: Error) => void }): void
  lowerPriority?(): void
  kill(): Promise<unknown>
}

/** In a thread: the quickest way to it, but nothing stops a statement there. */
export function startThread(options: PeerOptions): SqlitePeer {
  // Statements are used once and forgotten: room for many of them would only be filled.
  const worker = new Worker(WORKER_FILE, {
    workerData: options,
    resourceLimits: { maxYoungGenerationSizeMb: 8 },
  })
  return new SqlitePeer({
    send: (messages) => worker.postMessage(messages, []),
    listen: ({ message, end }) => {
      worker.on('message', message)
      worker.on('error', end)
      worker.on('exit', () => end(new Error('The thread of the database has ended.')))
    },
    kill: () => worker.terminate(),
  })
}

/** In a process, which can be killed in the middle of a statement. Values are sent as JSON: the quickest that it has. */
export function startProcess(options: PeerOptions): SqlitePeer {
  const child = fork(WORKER_FILE, [JSON.stringify(options)], {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  return new SqlitePeer({
    send: (messages) => void child.send(messages),
    listen: ({ message, end }) => {
      child.on('message', message)
      const ended = (cause?: unknown) =>
        end(new ReaderEndedError('A process that reads the database has ended.', { cause }))
      // What is sent to one that was killed fails before its end is told.
      child.on('error', ended)
      child.on('exit', () => ended())
    },
    lowerPriority: () => lowerPriority(child),
    kill: () => killProcess(child),
  })
}

function lowerPriority({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // It has ended, or the system forbids it: then it reads on as before.
  }
}

function killProcess(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve()
    child.once('exit', () => resolve())
    child.kill('SIGKILL')
  })
}

const KEY_CLASH = /^UNIQUE constraint failed: (?:\w+\.run_id, )?\w+\.id$/

function toError({ message, code, errcode }: NonNullable<Answer['error']>): Error {
  if (KEY_CLASH.test(message)) return new KeyClashError(message)
  return Object.assign(new Error(message), code === undefined ? {} : { code }, { errcode })
}

function withBindableValues<Message extends { statements: readonly Statement[] }>(message: Message): Message {
  const statements = message.statements.map(([sql, values]) => [sql, values.map(toBindable)] as const)
  return { ...message, statements }
}
