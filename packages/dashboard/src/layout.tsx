import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, Outlet, useLocation, useNavigate, useSearch } from '@tanstack/react-router'
import { Code, LogIn, LogOut, Search, Settings } from 'lucide-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import { isAnonymousQuery, signOut } from './api/session'
import { homeLink } from './history-links'
import { interfaceLink, manageLink, signInLink } from './links'
import { KeyHelp } from './navigation/key-help'
import { KeyHelpContext, useKeyCommands } from './navigation/keys'
import { SearchDialog } from './navigation/search-dialog'
import { SiteNav } from './navigation/site-nav'
import type { Scope } from './page-search'
import { Button, buttonClass } from './ui/button'

/** The frame of every page: a link past the header, the header, and the page itself. */
export function Layout() {
  const { pathname } = useLocation()
  const main = useRef<HTMLElement>(null)
  const [isHelpOpen, setIsHelpOpen] = useState(false)
  const [isSearchOpen, setIsSearchOpen] = useState(false)
  useFocusOnArrival(main, pathname)
  useSearchKey(() => setIsSearchOpen(true))
  useKeyCommands(useMemo(() => ({ '?': () => setIsHelpOpen(true) }), []))
  return (
    <KeyHelpContext value={() => setIsHelpOpen(true)}>
      <a
        href="#main"
        className="sr-only rounded bg-surface p-2 focus:not-sr-only focus:absolute focus:top-2 focus:left-2 focus:z-10"
      >
        Skip to the content
      </a>
      <Header
        isSignedIn={pathname !== '/sign-in' && pathname !== '/station'}
        onSearch={() => setIsSearchOpen(true)}
      />
      <main
        id="main"
        ref={main}
        tabIndex={-1}
        className="mx-auto max-w-6xl px-4 py-6 outline-none print:max-w-none print:p-px"
      >
        <Outlet />
      </main>
      <SearchDialog isOpen={isSearchOpen} onOpen={setIsSearchOpen} />
      <KeyHelp isOpen={isHelpOpen} onOpen={setIsHelpOpen} />
    </KeyHelpContext>
  )
}

function Header({ isSignedIn, onSearch }: { isSignedIn: boolean; onSearch: () => void }) {
  const { procedure, branch } = useSearch({ strict: false }) as Scope
  const scope = { procedure, branch }
  return (
    <header className="border-b border-line bg-surface print:hidden">
      <div className="mx-auto flex min-h-20 max-w-6xl flex-wrap items-center gap-x-4 px-4 py-1.5 md:h-14 md:min-h-0 md:flex-nowrap md:py-0">
        <Link {...homeLink(scope)} className="flex items-center gap-2 font-semibold text-ink no-underline">
          <img src="/favicon.svg" alt="" width={24} height={24} className="size-6" />
          Runledger
        </Link>
        {isSignedIn && <SiteNav scope={scope} />}
        <div className="ml-auto flex items-center gap-1">
          {isSignedIn && (
            <Button onClick={onSearch} aria-keyshortcuts="Control+K Meta+K">
              <Search aria-hidden className="size-4" />
              <span className="max-sm:sr-only">Search</span>
              <kbd className="rounded border border-line bg-sunken px-1 font-mono text-xs text-soft max-lg:hidden">
                Ctrl K
              </kbd>
            </Button>
          )}
          <Link {...interfaceLink()} aria-label="API" title="API" className={buttonClass('bare')}>
            <Code aria-hidden className="size-4" />
            <span className="max-lg:hidden">API</span>
          </Link>
          {isSignedIn && <SessionButtons />}
        </div>
      </div>
    </header>
  )
}

/** A visitor without a session can only sign in. */
function SessionButtons() {
  const { data: isAnonymous = false } = useQuery(isAnonymousQuery)
  const { href } = useLocation()
  if (!isAnonymous) {
    return (
      <>
        <Link {...manageLink('keys')} aria-label="Manage" title="Manage" className={buttonClass('bare')}>
          <Settings aria-hidden className="size-4" />
        </Link>
        <SignOutButton />
      </>
    )
  }
  return (
    <Link {...signInLink(href)} title="Sign in" aria-label="Sign in" className={buttonClass('bare')}>
      <LogIn aria-hidden className="size-4" />
      <span className="max-lg:hidden">Sign in</span>
    </Link>
  )
}

function SignOutButton() {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const leaving = useMutation({
    mutationFn: signOut,
    onSuccess: async (continueAt) => {
      if (continueAt !== undefined) return location.assign(continueAt)
      // A page with a secret that is still shown would stay.
      await navigate({ ...signInLink(), ignoreBlocker: true })
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
      <Button
        look="bare"
        title="Sign out"
        aria-label="Sign out"
        disabled={leaving.isPending}
        onClick={() => leaving.mutate()}
      >
        <LogOut aria-hidden className="size-4" />
        <span className="max-lg:hidden">Sign out</span>
      </Button>
    </span>
  )
}

// Tells screen readers that the page has changed, because nothing is loaded.
function useFocusOnArrival(main: React.RefObject<HTMLElement | null>, pathname: string): void {
  const arrivedAt = useRef(pathname)
  useEffect(() => {
    if (arrivedAt.current === pathname) return
    arrivedAt.current = pathname
    main.current?.focus({ preventScroll: true })
  }, [main, pathname])
}

/** Opens the search also while something is typed in a field. */
function useSearchKey(open: () => void): void {
  const latest = useRef(open)
  useEffect(() => {
    latest.current = open
  })
  useEffect(() => {
    const follow = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey) return
      event.preventDefault()
      latest.current()
    }
    document.addEventListener('keydown', follow)
    return () => document.removeEventListener('keydown', follow)
  }, [])
}
