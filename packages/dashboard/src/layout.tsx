import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link, Outlet, useLocation, useNavigate } from '@tanstack/react-router'
import { LogOut } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { signOut } from './api/session'
import { interfaceLink, runListLink, signInLink } from './links'
import { EMPTY_FILTER } from './run-filter'
import { Button, buttonClass } from './ui/button'

/** The frame of every page: a link past the header, the header, and the page itself. */
export function Layout() {
  const { pathname } = useLocation()
  const main = useRef<HTMLElement>(null)
  useFocusOnArrival(main, pathname)
  return (
    <>
      <a
        href="#main"
        className="sr-only rounded bg-surface p-2 focus:not-sr-only focus:absolute focus:top-2 focus:left-2 focus:z-10"
      >
        Skip to the content
      </a>
      <header className="border-b border-line bg-surface">
        <div className="mx-auto flex h-14 max-w-6xl items-center justify-between px-4">
          <Link
            {...runListLink(EMPTY_FILTER)}
            className="flex items-center gap-2 font-semibold text-ink no-underline"
          >
            <img src="/favicon.svg" alt="" className="size-6" />
            Runledger
          </Link>
          <nav aria-label="Site" className="flex items-center gap-2">
            <Link {...interfaceLink()} className={buttonClass('bare')}>
              API
            </Link>
            {pathname !== '/sign-in' && <SignOutButton />}
          </nav>
        </div>
      </header>
      <main id="main" ref={main} tabIndex={-1} className="mx-auto max-w-6xl px-4 py-6 outline-none">
        <Outlet />
      </main>
    </>
  )
}

function SignOutButton() {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const leaving = useMutation({
    mutationFn: signOut,
    onSuccess: async () => {
      await navigate(signInLink())
      queryClient.clear()
    },
  })
  return (
    <span className="flex items-center gap-2">
      {leaving.error && (
        <span role="alert" className="text-sm text-bad">
          Still signed in: {leaving.error.message}
        </span>
      )}
      <Button look="bare" disabled={leaving.isPending} onClick={() => leaving.mutate()}>
        <LogOut aria-hidden className="size-4" />
        Sign out
      </Button>
    </span>
  )
}

// Without a page load nothing tells a screen reader that the page is another one now.
function useFocusOnArrival(main: React.RefObject<HTMLElement | null>, pathname: string): void {
  const arrivedAt = useRef(pathname)
  useEffect(() => {
    if (arrivedAt.current === pathname) return
    arrivedAt.current = pathname
    main.current?.focus({ preventScroll: true })
  }, [main, pathname])
}
