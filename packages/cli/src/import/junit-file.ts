import type { OutputEntry } from '@runledger/core'
import { mapStream, readProperties } from './junit-testcase'
import { ResultFileError } from './results'
import { readXml, type XmlElement } from '@runledger/readers'

/** A `<testsuite>`, or the `<testsuites>` around all of them. */
export interface JUnitSuite {
  attributes: Record<string, string>
  isRoot: boolean
  parent: JUnitSuite | undefined
  properties: [name: string, value: string][]
  output: OutputEntry[]
  errors: XmlElement[]
}

export interface JUnitCase {
  element: XmlElement
  suite: JUnitSuite
}

/** The content of a JUnit file; cases in file order. */
export interface JUnitFile {
  root: JUnitSuite
  suites: JUnitSuite[]
  cases: JUnitCase[]
  comments: string[]
}

const SUITES = new Set(['testsuites', 'testsuite'])

/** @throws ResultFileError */
export function parseJUnit(text: string): JUnitFile {
  const open: JUnitSuite[] = []
  const file: Omit<JUnitFile, 'root'> = { suites: [], cases: [], comments: [] }
  readXml(text, {
    onOpen({ name, attributes }, parents) {
      const isSuite = SUITES.has(name)
      if (parents.length === 0 && !isSuite)
        throw new ResultFileError(
          `its root is <${name}>, not <testsuites> or <testsuite>: it is not JUnit XML`,
        )
      if (!isSuite) return
      const suite = {
        attributes,
        isRoot: name === 'testsuites',
        parent: open.at(-1),
        properties: [],
        output: [],
        errors: [],
      }
      open.push(suite)
      file.suites.push(suite)
    },
    onClose(element, parents) {
      const suite = open.at(-1)
      if (SUITES.has(element.name)) open.pop()
      else if (suite === undefined || !SUITES.has(parents.at(-1)?.name ?? '')) return false
      else takeElement(element, suite, file.cases)
      return true
    },
    onComment: (comment) => void file.comments.push(comment.trim()),
  })
  return { root: file.suites[0] as JUnitSuite, ...file }
}

function takeElement(element: XmlElement, suite: JUnitSuite, cases: JUnitCase[]): void {
  const { name } = element
  const stream = mapStream(element)
  if (name === 'testcase') cases.push({ element, suite })
  else if (name === 'properties') suite.properties.push(...readProperties([element]))
  else if (name === 'failure' || name === 'error') suite.errors.push(element)
  else if (stream !== undefined) suite.output.push(stream)
}
