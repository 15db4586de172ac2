import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { PageTitle } from './page-title'

it('leaves out marks that turn text around', () => {
  expect(renderToStaticMarkup(<PageTitle text={'a\u202Egpj.exe\u2066'} />)).toBe(
    '<title>agpj.exe · Runledger</title>',
  )
})

it('is the only title of a document', () => {
  const source = join(import.meta.dirname, '..')
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /(?<!\.test)\.tsx$/.test(name),
  )
  const titled = files.filter((name) => readFileSync(join(source, name), 'utf8').includes('· Runledger'))
  expect(titled).toEqual([join('ui', 'page-title.tsx')])
})
