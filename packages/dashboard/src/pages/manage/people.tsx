import type { User } from '@runledger/protocol'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { peopleQuery } from '../../api/manage'
import { auditLink } from '../../links'
import { Unread } from '../../parts/unread'
import { Button } from '../../ui/button'
import { StaleNotice } from '../../ui/error-state'
import { FactLine } from '../../ui/facts'
import { PageTitle } from '../../ui/page-title'
import { AddButton } from './add-button'
import { useHasAdminKey } from './manage-context'
import { PersonForm } from './person-form'

/** Everybody whom keys, runs and changes name. */
export function People() {
  return (
    <section aria-label="People" className="flex flex-col gap-4">
      <PageTitle text="People" />
      <p className="max-w-prose text-sm text-soft">
        A person signs in with a key of their own, which has a role. Runs name their operators by e-mail
        address.
      </p>
      <AddButton word="Add a person">
        {(opener, close) => <PersonForm opener={opener} onClose={close} />}
      </AddButton>
      <PersonList />
    </section>
  )
}

function PersonList() {
  const read = useQuery(peopleQuery)
  if (!read.data) {
    return (
      <Unread
        read={read}
        label="Reading the people"
        title="The people could not be read"
        rows={4}
        rowClass="h-16"
      />
    )
  }
  return (
    <>
      {read.error && <StaleNotice error={read.error} />}
      <ul className="divide-y divide-line rounded-lg border border-line bg-surface">
        {read.data.map((person) => (
          <PersonRow key={person.id} person={person} />
        ))}
      </ul>
    </>
  )
}

function PersonRow({ person }: { person: User }) {
  const [opener, setOpener] = useState<HTMLElement>()
  const mayChange = useHasAdminKey()
  const { name, email } = person
  return (
    <li aria-label={name ?? email}>
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2 px-4 py-3">
        <div className="flex min-w-0 flex-1 basis-72 flex-col gap-1">
          <span className="font-medium wrap-anywhere">{name ?? email}</span>
          <FactLine facts={[{ label: 'E-mail', value: name !== null && email }]} />
        </div>
        <span className="flex flex-wrap items-center gap-3 text-sm">
          <Link {...auditLink({ q: name ?? email })} className="text-accent hover:underline">
            Audit log<span className="sr-only"> of {name ?? email}</span>
          </Link>
          <Button disabled={!mayChange} onClick={({ currentTarget }) => setOpener(currentTarget)}>
            Change<span className="sr-only"> {name ?? email}</span>
          </Button>
        </span>
      </div>
      {opener && <PersonForm person={person} opener={opener} onClose={() => setOpener(undefined)} />}
    </li>
  )
}
