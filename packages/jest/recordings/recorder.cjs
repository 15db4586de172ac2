// Jest reporter that writes what the hooks tell, cut down to what the mapping reads, as JSON, for tests to replay.
const { createHash } = require('node:crypto')
const { writeFileSync } = require('node:fs')
const { join } = require('node:path')

const pick = (source, names) => Object.fromEntries(names.map((name) => [name, source[name]]))
const CONFIG =
  'rootDir bail updateSnapshot projects watch watchAll passWithNoTests lastCommit onlyChanged shard'
const CASE =
  'ancestorTitles title status duration failureMessages invocations retryReasons startAt startedAt'.split(' ')
const FILE = 'numFailingTests failureMessage perfStats console skipped'.split(' ')
const SNAPSHOT = 'unchecked unmatched fileDeleted uncheckedKeys'.split(' ')
const RUN = 'startTime numTotalTestSuites numFailedTests numRuntimeErrorTestSuites'.split(' ')

const hashProject = (rootDir, file, place) =>
  createHash('sha1').update(rootDir).update(file).update(String(place)).digest('hex').slice(0, 32)

/** JSON keeps nothing of an Error. */
const describeError = (error) =>
  typeof error === 'object' && error !== null ? pick(error, ['message', 'stack']) : error

const describeFile = (result) => ({
  ...pick(result, FILE),
  perfStats: pick(result.perfStats, ['start', 'end']),
  testExecError: describeError(result.testExecError),
  snapshot: pick(result.snapshot, SNAPSHOT),
  testResults: result.testResults.map((each) => pick(each, CASE)),
})

const describeRun = (results) => ({
  ...pick(results, RUN),
  runExecError: describeError(results.runExecError),
  snapshot: pick(results.snapshot, ['failure', 'filesRemovedList']),
})

module.exports = class Recorder {
  events = []

  constructor(globalConfig) {
    this.globalConfig = globalConfig
    this.#keep({ hook: 'constructor', globalConfig: pick(globalConfig, CONFIG.split(' ')) })
  }

  onRunStart({ startTime }) {
    this.#keep({ hook: 'onRunStart', startTime })
  }

  onTestFileStart(test) {
    this.#keep({ hook: 'onTestFileStart', at: Date.now(), test: this.#describeTest(test) })
  }

  onTestCaseStart(test, start) {
    const { ancestorTitles, title, startedAt } = start
    this.#keep({
      hook: 'onTestCaseStart',
      test: this.#describeTest(test),
      start: { ancestorTitles, title, startedAt },
    })
  }

  onTestCaseResult(test, result) {
    this.#keep({ hook: 'onTestCaseResult', test: this.#describeTest(test), result: pick(result, CASE) })
  }

  onTestFileResult(test, result) {
    this.#keep({
      hook: 'onTestFileResult',
      at: Date.now(),
      test: this.#describeTest(test),
      result: describeFile(result),
    })
  }

  onRunComplete(_contexts, results) {
    this.#keep({ hook: 'onRunComplete', at: Date.now(), results: describeRun(results) })
    writeFileSync(
      process.env.RECORDING,
      sanitize(`[\n${this.events.join(',\n')}\n]\n`, this.globalConfig.rootDir),
    )
  }

  #describeTest({ path, context: { config } }) {
    const { rootDir, displayName } = config
    return { path, context: { config: { id: this.#renameId(config), rootDir, displayName } } }
  }

  /** Jest's id of a project is a hash of where it is: that of the same project in `/project`. */
  #renameId({ id, rootDir }) {
    const { projects, rootDir: root } = this.globalConfig
    const files = projects.filter((project) => typeof project === 'string')
    const inFolders = [root, ...files].map((folder) => join(folder, 'jest.config.js'))
    for (const file of ['', ...files, ...inFolders]) {
      for (let place = 0; place < Math.max(1, projects.length); place += 1) {
        if (hashProject(rootDir, file, place) === id) {
          return hashProject(rootDir.replace(root, '/project'), file.replace(root, '/project'), place)
        }
      }
    }
    throw new Error(`the id ${id} of ${rootDir} is of no known project`)
  }

  /** As text at once: Jest goes on to change some of these objects. */
  #keep(event) {
    this.events.push(JSON.stringify(event))
  }
}

/** The project is `/project`, and Jest's own folder `/modules`: where they are is no part of the execution. */
function sanitize(text, rootDir) {
  return text
    .replaceAll(rootDir, '/project')
    .replace(/[^"\\ (]*node_modules/g, '/modules')
    .replace(/pid=\d+/g, 'pid=1')
}
