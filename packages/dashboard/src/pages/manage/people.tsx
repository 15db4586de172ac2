import type { User } from '@runledger/protocol'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { peopleQuery } from '../../api/manage'
import { auditLink } from '../../links'
import { PageTitle } from '../../ui/page-title'
import { AddButton } from './add-button'
import { ManagedList } from './managed-list'
import { ManagedRow } from './managed-row'
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
  return (
    <ManagedList read={read} items={read.data} what="people" rows={4} rowClass="h-16">
      {(person) => <PersonRow key={person.id} person={person} />}
    </ManagedList>
  )
}

function PersonRow({ person }: { person: User }) {
  const { id, name, email } = person
  return (
    <ManagedRow
      name={name ?? email}
      facts={[{ label: 'E-mail', value: name !== null && email }]}
      forms={{
        Change: (opener, onClose) => <PersonForm person={person} opener={opener} onClose={onClose} />,
      }}
    >
      <Link {...auditLink({ by: id })} className="w-fit text-sm text-accent hover:underline">
        Changes by {name ?? email}
      </Link>
    </ManagedRow>
  )
}
