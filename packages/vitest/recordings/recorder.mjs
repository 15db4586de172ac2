// Vitest reporter that writes what the hooks and the public methods tell, as JSON, for tests to replay.
import { writeFileSync } from 'node:fs'
import path from 'node:path'

const HOOKS_OF_MODULES = [
  'onTestModuleQueued',
  'onTestModuleCollected',
  'onTestModuleStart',
  'onTestModuleEnd',
]

export default class Recorder {
  events = []

  constructor() {
    for (const hook of HOOKS_OF_MODULES) {
      this[hook] = (testModule) => this.events.push({ hook, id: testModule.id, atMs: Date.now() })
    }
  }

  onInit(vitest) {
    this.vitest = vitest
  }

  onTestRunStart(specifications) {
    this.events.push({ hook: 'onTestRunStart', specifications: specifications.length, atMs: Date.now() })
  }

  onUserConsoleLog(log) {
    this.events.push({ hook: 'onUserConsoleLog', log })
  }

  onTestCaseAnnotate(testCase, annotation) {
    const index = testCase.annotations().indexOf(annotation)
    this.events.push({ hook: 'onTestCaseAnnotate', ...describeMoment(testCase), index })
  }

  onTestCaseArtifactRecord(testCase, artifact) {
    const index = testCase.artifacts().indexOf(artifact)
    this.events.push({ hook: 'onTestCaseArtifactRecord', ...describeMoment(testCase), index })
  }

  onTestRunEnd(modules, unhandledErrors, reason) {
    const { version, config } = this.vitest
    const record = {
      version,
      root: config.root,
      dangerouslyIgnoreUnhandledErrors: config.dangerouslyIgnoreUnhandledErrors,
      events: this.events,
      end: {
        atMs: Date.now(),
        exitCode: process.exitCode,
        reason,
        unhandledErrors: unhandledErrors.map(describeError),
        modules: modules.map(describeModule),
      },
    }
    writeFileSync(process.env.RECORDING, sanitize(JSON.stringify(record), config.root))
  }
}

/** What the methods say at this very moment, before the test has ended. */
const describeMoment = (testCase) => ({
  id: testCase.id,
  result: testCase.result(),
  diagnostic: testCase.diagnostic(),
})

// An Error of Vitest's own process keeps its message and stack out of its enumerable fields.
const describeError = (error) => ({ ...error, message: error.message, stack: error.stack })

const hasObsoleteSnapshots = ({ project, moduleId }) =>
  project.vitest.snapshot.summary.uncheckedKeysByFile.some(({ filePath }) => filePath === moduleId)

const hooksOf = (entity) => entity.task.result?.hooks

function describeModule(testModule) {
  return {
    type: 'module',
    id: testModule.id,
    moduleId: testModule.moduleId,
    project: testModule.project.name,
    hasObsoleteSnapshots: hasObsoleteSnapshots(testModule),
    state: testModule.state(),
    errors: testModule.errors(),
    meta: testModule.meta(),
    hooks: hooksOf(testModule),
    children: testModule.children.array().map(describeChild),
  }
}

function describeChild(child) {
  return child.type === 'suite' ? describeSuite(child) : describeTest(child)
}

function describeSuite(suite) {
  return {
    type: 'suite',
    id: suite.id,
    name: suite.name,
    state: suite.state(),
    errors: suite.errors(),
    hooks: hooksOf(suite),
    children: suite.children.array().map(describeChild),
  }
}

function describeTest(testCase) {
  const { mode, fails, repeats } = testCase.options
  return {
    type: 'test',
    id: testCase.id,
    name: testCase.name,
    options: { mode, fails, repeats },
    result: testCase.result(),
    diagnostic: testCase.diagnostic(),
    meta: testCase.meta(),
    annotations: testCase.annotations(),
    artifacts: testCase.artifacts?.(),
    attempts: testCase.attempts?.(),
    pending: testCase.task.result?.pending,
  }
}

/** The project is `/project`, and frames inside Vitest are left out: they are of the machine, not of the execution. */
function sanitize(text, root) {
  const modules = new RegExp(`[^"\\\\ (]*node_modules`, 'g')
  const cleaned = text
    .replaceAll(root, '/project')
    .replaceAll(path.dirname(root), '/')
    .replace(modules, '/modules')
  return `${JSON.stringify(JSON.parse(cleaned, dropFrames), null, 2)}\n`
}

function dropFrames(key, value) {
  if (key !== 'stack' || typeof value !== 'string') return value
  return value
    .split('\n')
    .filter((line) => !/^\s+at .*(\/modules|node:internal)/.test(line))
    .join('\n')
}
