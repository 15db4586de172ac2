import { RENAMES, NEW_TEST } from '../catalogue/planted'
import { joinTitles, type Project, type SuiteSpec, type TestSpec } from '../catalogue/project'
import { findPositions } from './plant-commits'

export interface NamedTest {
  spec: TestSpec
  /** Newest file and name, which identify the test in planted facts. */
  key: string
  name: string
}

export interface NamedSuite {
  spec: SuiteSpec
  file: string
  tests: readonly NamedTest[]
}

export function keyOf({ file, name }: { file: string; name: string }): string {
  return `${file} ${name}`
}

/** The suites of a project at a position of main. */
export function nameSuites(
  project: Project,
  { position, commits }: { position: number; commits: number },
): NamedSuite[] {
  const positions = findPositions(commits)
  const former = RENAMES.filter((rename, index) => {
    return rename.project === project.key && position < (positions.renames[index] ?? 0)
  })
  const isAdded = (key: string) => {
    return project.key !== NEW_TEST.project || key !== keyOf(NEW_TEST) || position >= positions.added
  }
  return project.suites.map((spec): NamedSuite => {
    const ofFile = former.filter(({ file }) => file === spec.file)
    const rename = (title: string) => ofFile.find((each) => each.title === title)?.former ?? title
    const named = spec.tests.map((test) => ({
      spec: test,
      key: keyOf({ file: spec.file, name: joinTitles(test.titles) }),
      name: joinTitles(test.titles.map(rename)),
    }))
    const file = ofFile.find(({ kind }) => kind === 'file')?.former ?? spec.file
    return { spec, file, tests: named.filter(({ key }) => isAdded(key)) }
  })
}
