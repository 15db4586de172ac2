const createRunner = (imports: string): string => `${imports}
  export default class extends Runner {
    async runTask(test) { await getFn(test)() }
    onAfterTryTask(test, options) {
      super.onAfterTryTask?.(test, options)
      if (test.name === 'test 3') throw new Error('the runner is not content')
    }
  }\n`

/** A runner (`test.runner`) that calls tests by itself, and fails some that have passed. */
export const CUSTOM_RUNNERS = {
  before4: createRunner(`import { VitestTestRunner as Runner } from 'vitest/runners'
  import { getFn } from 'vitest/suite'`),
  since4: createRunner(`import { TestRunner as Runner } from 'vitest'
  const getFn = Runner.getTestFn`),
}

/** For Vitest 3, whose option is a path: a pool that runs no code, its files are lists of verdicts. */
export const HAND_MADE_POOL = `import { readFileSync } from 'node:fs'
  import { createFileTask } from '@vitest/runner/utils'
  import { createMethodsRPC } from 'vitest/node'
  const STATES = {
    pass: { mode: 'run', result: { state: 'pass' } },
    fail: { mode: 'run', result: { state: 'fail', errors: [{ name: 'Error', message: 'it says so' }] } },
    skip: { mode: 'skip' },
  }
  export default (vitest) => ({
    name: 'checks',
    async runTests(specifications) {
      for (const [project, name] of specifications) {
        const methods = createMethodsRPC(project)
        const file = createFileTask(name, project.config.root, project.name, 'checks')
        file.mode = 'run'
        for (const [index, line] of readFileSync(name, 'utf8').trim().split('\\n').entries()) {
          const [verdict, ...words] = line.split(' ')
          file.tasks.push({ type: 'test', id: file.id + '_' + index, name: words.join(' '), file,
            meta: {}, timeout: 0, annotations: [], context: {}, ...STATES[verdict] })
        }
        const hasFailed = file.tasks.some(({ result }) => result?.state === 'fail')
        file.result = { state: hasFailed ? 'fail' : 'pass' }
        await methods.onQueued(file)
        await methods.onCollected([file])
        await methods.onTaskUpdate([file, ...file.tasks].map(({ id, result, meta }) => [id, result, meta]), [])
      }
    },
    async collectTests() {},
    async close() {},
  })\n`

/** For Vitest 4 and later, whose option is an object: a pool of worker threads around Vitest's own worker. */
export const THREAD_POOL = {
  'pool.mjs': `import { Worker } from 'node:worker_threads'
  class ThreadWorker {
    name = 'own-threads'
    constructor(options) { this.options = options }
    on(event, callback) { this.thread.on(event, callback) }
    off(event, callback) { this.thread.off(event, callback) }
    send(message) { this.thread.postMessage(message) }
    deserialize(data) { return data }
    async start() {
      const { env, execArgv } = this.options
      this.thread ??= new Worker(new URL('./pool-worker.mjs', import.meta.url), { env, execArgv })
    }
    async stop() { await this.thread.terminate() }
  }
  export default { name: 'own-threads', createPoolWorker: (options) => new ThreadWorker(options) }\n`,
  'pool-worker.mjs': `import { parentPort } from 'node:worker_threads'
  import { init, runBaseTests, setupEnvironment } from 'vitest/worker'
  init({
    post: (response) => parentPort.postMessage(response),
    on: (callback) => parentPort.on('message', callback),
    off: (callback) => parentPort.off('message', callback),
    setup: setupEnvironment,
    runTests: (state, traces) => runBaseTests('run', state, traces),
    collectTests: (state, traces) => runBaseTests('collect', state, traces),
  })\n`,
}
