// Runs the projects beside this file with the tools whose results `runledger import` reads, and keeps what they write in
// files/. Paths of the folder that they ran in become /project there.
//   node record.mjs            all of them
//   node record.mjs pytest …   those named
// Jest, Vitest and Playwright come from .cache/frameworks (`npm test` installs them); jest-junit and the CTRF reporters are
// installed for the time of the recording. pytest and Maven with Surefire must be there (on Debian: apt-get install
// python3-pytest libsurefire-java maven-debian-helper junit4 golang-go gotestsum).
import { spawnSync } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import os from 'node:os'
import path from 'node:path'

const here = import.meta.dirname
const frameworks = path.join(here, '../../../.cache/frameworks')
const files = path.join(here, 'files')
const MODULES = new RegExp(
  String.raw`${frameworks.replaceAll(/[.+]/g, String.raw`\$&`)}/[\w.-]+/node_modules`,
  'g',
)
const REPORTERS = ['jest-junit', 'jest-ctrf-json-reporter', 'playwright-ctrf-json-reporter']

function run(dir, command, args) {
  const { error, stdout } = spawnSync(command, args, {
    cwd: dir,
    env: { ...process.env, CI: '' },
    encoding: 'utf8',
  })
  if (error) throw error
  return stdout
}

/** Keeps a text without the folders and the name of the machine. */
function keep(name, text, dir) {
  const plain = text
    .replaceAll(dir, '/project')
    .replaceAll(MODULES, '/project/node_modules')
    .replaceAll(`hostname="${os.hostname()}"`, 'hostname="host"')
    .replaceAll(os.homedir(), '/home/user')
  mkdirSync(files, { recursive: true })
  writeFileSync(path.join(files, name), plain)
}

function keepFile(name, dir, file) {
  keep(name, readFileSync(path.join(dir, file), 'utf8'), dir)
}

/** The framework's modules, and the reporters of other makers beside them. */
function linkModules(dir, version) {
  run(dir, 'npm', [
    'install',
    '--no-save',
    '--legacy-peer-deps',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    ...REPORTERS,
  ])
  const installed = path.join(frameworks, version, 'node_modules')
  for (const name of readdirSync(installed)) {
    rmSync(path.join(dir, 'node_modules', name), { recursive: true, force: true })
    symlinkSync(path.join(installed, name), path.join(dir, 'node_modules', name))
  }
}

const RECORDINGS = {
  pytest(dir) {
    for (const family of ['xunit1', 'xunit2']) {
      run(dir, 'pytest', [
        '-q',
        `--junitxml=${family}.xml`,
        '-o',
        `junit_family=${family}`,
        '-o',
        'junit_logging=all',
      ])
      keepFile(`pytest-${family}.xml`, dir, `${family}.xml`)
    }
  },
  surefire(dir) {
    run(dir, 'mvn', [
      '-o',
      '-q',
      '-s',
      '/etc/maven/settings-debian.xml',
      '-Dmaven.repo.local=/usr/share/maven-repo',
      'test',
    ])
    // Properties of the machine that say nothing.
    const report = readFileSync(path.join(dir, 'target/surefire-reports/TEST-example.LampTest.xml'), 'utf8')
    keep(
      'surefire.xml',
      report.replaceAll(
        /^.*<property name="(?!java\.version"|os\.name|user\.name|java\.class\.path).*\n/gm,
        '',
      ),
      dir,
    )
  },
  go(dir) {
    run(dir, 'gotestsum', ['--junitfile', 'junit.xml', './...'])
    keepFile('gotestsum.xml', dir, 'junit.xml')
  },
  'node-test'(dir) {
    const args = ['--test', '--test-reporter=junit', 'broken.test.cjs', 'lamp.test.cjs']
    keep('node-test-20.xml', run(dir, process.execPath, args), dir)
    const node24 = path.join(
      frameworks,
      `../node/24/node_modules/node-${process.platform}-${process.arch}/bin/node`,
    )
    keep('node-test-24.xml', run(dir, node24, args), dir)
  },
  playwright(dir) {
    linkModules(dir, 'playwright-1.65.1')
    run(dir, process.execPath, ['node_modules/@playwright/test/cli.js', 'test'])
    keepFile('playwright.xml', dir, 'junit.xml')
    keepFile('playwright.json', dir, 'report.json')
    keepFile('playwright.ctrf.json', dir, 'ctrf.json')
  },
  vitest(dir) {
    linkModules(dir, 'vitest-5.1.1')
    const reporters = [
      '--reporter=junit',
      '--outputFile.junit=junit.xml',
      '--reporter=json',
      '--outputFile.json=report.json',
    ]
    run(dir, process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...reporters])
    keepFile('vitest.xml', dir, 'junit.xml')
    keepFile('vitest.json', dir, 'report.json')
  },
  jest(dir) {
    linkModules(dir, 'jest-30.5.2')
    const reporters = ['--reporters=jest-junit', '--reporters=jest-ctrf-json-reporter']
    run(dir, process.execPath, [
      'node_modules/jest/bin/jest.js',
      '--json',
      '--outputFile=report.json',
      ...reporters,
    ])
    keepFile('jest.json', dir, 'report.json')
    keepFile('jest-junit.xml', dir, 'junit.xml')
    keepFile('jest.ctrf.json', dir, 'ctrf/ctrf-report.json')
  },
}

const named = process.argv.slice(2)
for (const name of named.length > 0 ? named : Object.keys(RECORDINGS)) {
  const dir = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'runledger-recording-')))
  cpSync(path.join(here, 'projects', name), dir, { recursive: true })
  RECORDINGS[name](dir)
  rmSync(dir, { recursive: true })
}
