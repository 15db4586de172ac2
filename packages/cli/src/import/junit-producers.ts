import type { JUnitFile } from './junit-file'

/** What sets one tool's JUnit XML apart from that of others. */
export interface Producer {
  name: string
  /** Suites are groups within a test file, as `describe` makes them: they begin the names of tests. */
  suitesAreTitles?: boolean
  /** What stands for the name of a suite's machine is that of its project. */
  hostIsProject?: boolean
  /** What joins a test's titles in its name. */
  separator?: string
  /** A suite is a run of its own, whatever file its tests are from; its property `project` names its project. */
  suitesAreRuns?: boolean
}

/** The tool that wrote a file, where that is certain; `junit` stands for any other. */
export function findProducer(file: JUnitFile): Producer {
  const { root, suites, cases, comments } = file
  const [, suite] = root.isRoot ? suites : [root, root]
  const rootName = root.attributes['name']
  const schema = suite?.attributes['xsi:noNamespaceSchemaLocation'] ?? ''
  if (comments.some((comment) => comment.startsWith('duration_ms ')))
    return { name: 'node:test', suitesAreTitles: true }
  if (schema.includes('surefire')) return { name: 'surefire' }
  if (rootName === 'runledger') {
    const tools = new Set(
      suites
        .flatMap(({ properties }) => properties.filter(([name]) => name === 'framework'))
        .map(([, value]) => value),
    )
    const [tool = 'runledger', ...others] = tools
    return { name: others.length === 0 ? tool : 'runledger', separator: ' › ', suitesAreRuns: true }
  }
  if (rootName === 'vitest tests') return { name: 'vitest', separator: ' > ' }
  if (rootName === 'jest tests') return { name: 'jest' }
  if (rootName === 'pytest tests' || suite?.attributes['name'] === 'pytest') return { name: 'pytest' }
  if (suite?.properties.some(([name]) => name === 'go.version')) return { name: 'go' }
  if (isPlaywright(file)) return { name: 'playwright', hostIsProject: true }
  // Cases beside suites: the suites are groups of the same file.
  return { name: 'junit', suitesAreTitles: root.isRoot && cases.some((each) => each.suite === root) }
}

/** Playwright's file has no mark of its own, but no other has all of these. */
function isPlaywright({ root, suites, cases }: JUnitFile): boolean {
  const files = suites.filter(({ parent }) => parent === root)
  const hasOwnAttributes = ['id', 'name', 'errors', 'time'].every(
    (name) => root.attributes[name] !== undefined,
  )
  return (
    root.isRoot &&
    hasOwnAttributes &&
    files.length > 0 &&
    files.length === suites.length - 1 &&
    files.every(
      ({ attributes: { hostname, timestamp = '' } }) =>
        hostname !== undefined && timestamp.includes('T') && timestamp.endsWith('Z'),
    ) &&
    cases.every(({ element, suite }) => element.attributes['classname'] === suite.attributes['name'])
  )
}
