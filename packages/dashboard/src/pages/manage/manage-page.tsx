import { useQuery } from '@tanstack/react-query'
import { Link, Outlet, useBlocker, useLocation } from '@tanstack/react-router'
import { useCallback, useState } from 'react'
import { currentUserQuery } from '../../api/session'
import { auditLink, manageLink } from '../../links'
import { Tabs, tabClass } from '../../ui/tabs'
import { ShowOnceContext, type Secret, useIsChanging } from './manage-context'
import { ShownOnce } from './shown-once'

/** The frame of the pages that manage the service: new secrets stay while one of them is open. */
export function ManagePage() {
  const [secrets, setSecrets] = useState<readonly Secret[]>([])
  const showOnce = useCallback((secret: Secret) => setSecrets((before) => [...before, secret]), [])
  // The answer to a change may be a secret.
  const isChanging = useIsChanging()
  const mayLose = isChanging || secrets.length > 0
  useBlocker({
    disabled: !mayLose,
    enableBeforeUnload: mayLose,
    shouldBlockFn: ({ next: { pathname } }) => mustStay(pathname),
  })
  return (
    <div className="flex flex-col gap-4">
      <h1 className="text-2xl font-semibold">Manage</h1>
      <Tabs label="Manage">
        {SECTIONS.map(({ section, word }) => (
          <Link key={section} {...manageLink(section)} {...TAB}>
            {word}
          </Link>
        ))}
        <Link {...auditLink()} {...TAB}>
          Audit log
        </Link>
      </Tabs>
      <RoleNotice />
      {secrets.map((secret) => (
        <ShownOnce
          key={secret.text}
          secret={secret}
          onDone={() => setSecrets((before) => before.filter((each) => each !== secret))}
        />
      ))}
      <ShowOnceContext value={showOnce}>
        <Outlet />
      </ShowOnceContext>
    </div>
  )
}

function RoleNotice() {
  const role = useQuery(currentUserQuery).data?.role
  // Everyone may end their own sessions.
  const isOwn = useLocation().pathname === manageLink('sessions').to
  if (role === undefined || role === 'admin' || isOwn) return null
  return (
    <p role="status" className="rounded-md bg-warn-tint px-3 py-2 text-sm text-warn">
      Your role is {role}. To change something here, sign in as an admin.
    </p>
  )
}

/** Whether a shown secret keeps the page open. The end of a session leads to the sign-in page at any time, so that is blocked without a question. */
function mustStay(pathname: string): boolean {
  if (pathname.startsWith('/manage')) return false
  return (
    pathname === '/sign-in' ||
    !window.confirm('The page shows a secret that you cannot see again, or waits for one. Leave it?')
  )
}

const SECTIONS = [
  { section: 'keys', word: 'Keys' },
  { section: 'people', word: 'People' },
  { section: 'projects', word: 'Projects' },
  { section: 'stations', word: 'Stations' },
  { section: 'webhooks', word: 'Webhooks' },
  { section: 'settings', word: 'Settings' },
  { section: 'sessions', word: 'Sessions' },
] as const

const TAB = {
  activeProps: { className: tabClass(true) },
  inactiveProps: { className: tabClass(false) },
}
