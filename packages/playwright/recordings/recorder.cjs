// A Playwright reporter that writes every call to a JSON file: what the fast tests replay. See README.md.
const { writeFileSync } = require('node:fs')
const path = require('node:path')

const CONFIG_FIELDS = [
  'rootDir',
  'configFile',
  'version',
  'preserveOutput',
  'globalSetup',
  'globalTeardown',
  'shard',
]
const RESULT_FIELDS = ['retry', 'workerIndex', 'status', 'duration', 'errors']

const pick = (object, fields) => Object.fromEntries(fields.map((field) => [field, object[field]]))

const describeAttachment = ({ name, contentType, path: file, body }) => ({
  name,
  contentType,
  path: file,
  body: body?.toString('base64'),
})

const describeTest = (test) => ({
  id: test.id,
  title: test.title,
  titlePath: test.titlePath(),
  location: test.location,
  retries: test.retries,
  expectedStatus: test.expectedStatus,
})

class Recorder {
  constructor() {
    this.events = []
  }

  add(event) {
    this.events.push({ ...event, atMs: Date.now() })
  }

  printsToStdio() {
    return false
  }

  onBegin(config, root) {
    this.config = pick(config, CONFIG_FIELDS)
    this.projects = root.suites.map((projectSuite) => ({
      ...pick(projectSuite.project(), ['name', 'outputDir']),
      files: projectSuite.suites.map((fileSuite) => ({
        title: fileSuite.title,
        file: fileSuite.location.file,
        tests: fileSuite.allTests().map(describeTest),
      })),
    }))
  }

  onTestBegin(test, result) {
    const { retry, workerIndex, startTime } = result
    this.add({ kind: 'testBegin', id: test.id, retry, workerIndex, startTimeMs: startTime.getTime() })
  }

  onTestEnd(test, result) {
    this.add({
      kind: 'testEnd',
      id: test.id,
      result: {
        ...pick(result, RESULT_FIELDS),
        startTimeMs: result.startTime.getTime(),
        attachments: result.attachments.map(describeAttachment),
      },
      test: { ...pick(test, ['expectedStatus', 'annotations']), outcome: test.outcome() },
    })
  }

  onStdOut(chunk, test, result) {
    this.add({ kind: 'output', stream: 'stdout', text: String(chunk), id: test?.id, retry: result?.retry })
  }

  onStdErr(chunk, test, result) {
    this.add({ kind: 'output', stream: 'stderr', text: String(chunk), id: test?.id, retry: result?.retry })
  }

  onError(error) {
    this.add({ kind: 'error', error })
  }

  onEnd({ status, startTime, duration }) {
    this.add({ kind: 'end', status, startTimeMs: startTime.getTime(), durationMs: duration })
    const root = path.dirname(this.config.configFile)
    const modules = path.resolve(require.resolve('@playwright/test'), '../../..')
    const recording = { config: this.config, projects: this.projects, events: this.events }
    const text = JSON.stringify(recording, null, 1)
      .replaceAll(root, '/project')
      .replaceAll(modules, '/project/node_modules')
    writeFileSync(process.env.RECORDING_FILE, `${text}\n`)
  }
}

module.exports = Recorder
