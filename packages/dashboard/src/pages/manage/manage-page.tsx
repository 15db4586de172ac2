import { Link, Outlet } from '@tanstack/react-router'
import { useState } from 'react'
import { manageLink } from '../../links'
import { KeyField } from '../../parts/key-field'
import { AdminKeyContext } from './admin-key'

/** The frame of the pages that manage the service. A key that is typed stays while they are open. */
export function ManagePage() {
  const [key, setKey] = useState('')
  return (
    <div className="flex flex-col gap-4">
      <header className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <h1 className="text-2xl font-semibold">Manage</h1>
        <nav aria-label="Manage" className="flex gap-0.5">
          <Link {...manageLink('keys')} {...LOOK}>
            Keys
          </Link>
          <Link {...manageLink('webhooks')} {...LOOK}>
            Webhooks
          </Link>
        </nav>
      </header>
      <form
        className="flex rounded-lg border border-line bg-sunken px-4 py-3 text-sm"
        onSubmit={(event) => event.preventDefault()}
      >
        <KeyField
          value={key}
          onChange={setKey}
          label="The key of an admin, to change something. It stays on this page until you leave it."
        />
      </form>
      <AdminKeyContext value={key}>
        <Outlet />
      </AdminKeyContext>
    </div>
  )
}

const LOOK = {
  className: 'rounded-md px-2.5 py-1.5 text-sm font-medium no-underline',
  activeProps: { className: 'bg-sunken text-ink' },
  inactiveProps: { className: 'text-soft hover:bg-sunken hover:text-ink' },
}
