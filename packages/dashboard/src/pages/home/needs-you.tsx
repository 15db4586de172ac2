import type { Home, HomeItem } from '@runledger/protocol'
import { Link } from '@tanstack/react-router'
import { buildLink } from '../../history-links'
import { ROW_LINK } from '../../navigation/keys'
import { TestName } from '../../parts/test-name'
import { Badge, type Tone } from '../../ui/badge'
import { Card } from '../../ui/card'

const LOOKS: Readonly<Record<HomeItem['kind'], { word: string; tone: Tone }>> = {
  'build-failed': { word: 'Failed', tone: 'bad' },
  'build-incomplete': { word: 'Incomplete', tone: 'warn' },
  'test-broken': { word: 'Broken', tone: 'bad' },
  'test-flaky': { word: 'Flaky', tone: 'warn' },
}

/** Lists what needs attention, the most urgent first. */
export function NeedsYou({ home: { needs_you: items, projects } }: { home: Home }) {
  const branches = new Map(projects.map((project) => [project.procedure.id, project.default_branch]))
  return (
    <Card title="Needs you">
      {items.length === 0 ? (
        <p className="px-4 py-3 text-soft">Nothing: no build failed, and no test is broken or flaky.</p>
      ) : (
        <ol className="divide-y divide-line">
          {items.map((item, index) => (
            <li key={index} className="flex flex-wrap items-baseline gap-x-3 gap-y-1 px-4 py-2.5">
              <Badge {...LOOKS[item.kind]} />
              <span className="min-w-0">
                <Target item={item} branch={branches.get(item.procedure.id) ?? undefined} />
                <span className="block text-sm wrap-anywhere text-soft">
                  {item.procedure.name}
                  {item.test !== null && ` · ${item.text}`}
                </span>
              </span>
            </li>
          ))}
        </ol>
      )}
    </Card>
  )
}

/** A test leads to its results on the default branch, by which it is listed. */
function Target({ item, branch }: { item: HomeItem; branch: string | undefined }) {
  const { test, group, text } = item
  if (test !== null) return <TestName test={test} branch={branch} />
  if (group === null) return <span className="wrap-anywhere">{text}</span>
  return (
    <Link {...buildLink(group)} {...ROW_LINK} className="wrap-anywhere">
      {text}
    </Link>
  )
}
