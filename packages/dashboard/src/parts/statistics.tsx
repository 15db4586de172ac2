import type { ReactNode } from 'react'
import type { DefinitionName } from '../definitions'
import { Defined } from './definitions'

/** Large numbers beside one another, each with what stands behind it. */
export function Statistics({ children }: { children: ReactNode }) {
  return (
    <dl className="grid grid-cols-2 gap-px overflow-hidden rounded-lg border border-line bg-line sm:grid-cols-4">
      {children}
    </dl>
  )
}

interface StatisticProps {
  name: string
  as: DefinitionName
  value: string
  children: ReactNode
}

/** One of `Statistics`. */
export function Statistic({ name, as, value, children }: StatisticProps) {
  return (
    <div className="flex flex-col bg-surface px-4 py-2.5">
      <dt className="text-sm text-soft">
        <Defined as={as}>{name}</Defined>
      </dt>
      <dd className="numeric">
        <span className="text-xl font-semibold">{value}</span>
        <span className="block text-sm text-soft">{children}</span>
      </dd>
    </div>
  )
}
