import { Link, Outlet, useBlocker } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { manageLink } from '../../links'
import { KeyField } from '../../parts/key-field'
import { ManageContext, type Secret } from './manage-context'
import { ShownOnce } from './shown-once'

/** The frame of the pages that manage the service: the typed key and new secrets stay while one of them is open. */
export function ManagePage() {
  const [key, setKey] = useState('')
  const [secrets, setSecrets] = useState<readonly Secret[]>([])
  const context = useMemo(
    () => ({ key, showOnce: (secret: Secret) => setSecrets((before) => [...before, secret]) }),
    [key],
  )
  useBlocker({
    disabled: secrets.length === 0,
    enableBeforeUnload: secrets.length > 0,
    shouldBlockFn: ({ next: { pathname } }) => isLosing(pathname),
  })
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
      {secrets.map((secret) => (
        <ShownOnce
          key={secret.text}
          secret={secret}
          onDone={() => setSecrets((before) => before.filter((each) => each !== secret))}
        />
      ))}
      <ManageContext value={context}>
        <Outlet />
      </ManageContext>
    </div>
  )
}

/** A session that has ended leads to the sign-in page without being asked, where a secret that is shown would be lost. */
function isLosing(pathname: string): boolean {
  if (pathname.startsWith('/manage')) return false
  return pathname === '/sign-in' || !window.confirm('What is shown here is not shown again. Leave the page?')
}

const LOOK = {
  className: 'rounded-md px-2.5 py-1.5 text-sm font-medium no-underline',
  activeProps: { className: 'bg-sunken text-ink' },
  inactiveProps: { className: 'text-soft hover:bg-sunken hover:text-ink' },
}
