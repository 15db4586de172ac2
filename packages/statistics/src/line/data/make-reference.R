# Rscript make-reference.R > reference.json: what R computes, to compare our statistics with. Needs R 4.2 and its packages nortest
# and lme4 (Debian: r-base-core, r-cran-nortest, r-cran-lme4). The samples are R's own data sets, or drawn with a seed.
suppressMessages({library(nortest); library(lme4)})

json <- function(x) {
  if (is.list(x) && !is.null(names(x)))
    return(paste0('{', paste0('"', names(x), '": ', sapply(x, json), collapse = ', '), '}'))
  if (is.list(x)) return(paste0('[', paste(sapply(x, json), collapse = ',\n  '), ']'))
  text <- if (is.character(x)) paste0('"', x, '"') else ifelse(is.na(x), 'null', sprintf('%.17g', x))
  if (length(x) == 1) text else paste0('[', paste(text, collapse = ', '), ']')
}

rows <- function(frame) lapply(seq_len(nrow(frame)), function(i) as.list(frame[i, , drop = FALSE]))

normal <- data.frame(z = c(-45, -38, -37, -20, -8, -3, -1.96, -1, -0.3, 0, 0.5, 1, 2.5, 6, 9))
normal$below <- pnorm(normal$z)
normal$log <- pnorm(normal$z, log.p = TRUE)

chiSquare <- expand.grid(probability = c(0.005, 0.025, 0.5, 0.975, 0.995), freedom = c(0.62, 1, 2.48, 4, 30, 61.38, 619.38, 6199.38))
chiSquare$quantile <- qchisq(chiSquare$probability, chiSquare$freedom)

fTail <- expand.grid(f = c(0.1, 0.9, 1, 3.5, 20, 500), above = c(1, 2, 18), below = c(4, 60, 1000))
fTail$tail <- pf(fTail$f, fTail$above, fTail$below, lower.tail = FALSE)

wilson <- expand.grid(n = c(1, 7, 50, 400, 100000), share = c(0, 0.02, 0.3, 0.5, 0.95, 1))
wilson$passed <- round(wilson$n * wilson$share)
bounds <- mapply(function(x, n) suppressWarnings(prop.test(x, n, correct = FALSE)$conf.int), wilson$passed, wilson$n)
wilson$low <- bounds[1, ]
wilson$high <- bounds[2, ]
wilson$share <- NULL

set.seed(48)
samples <- list(
  precip = as.numeric(precip), rivers = as.numeric(rivers), nhtemp = as.numeric(nhtemp),
  height = women$height, nile = as.numeric(Nile), eruptions = faithful$eruptions,
  normal = rnorm(60, 5, 0.02), uniform = runif(40), exponential = rexp(200), eight = rnorm(8)
)
andersonDarling <- lapply(samples, function(values) {
  result <- ad.test(values)
  list(values = values, statistic = unname(result$statistic), pValue = result$p.value)
})

index <- function(values, low, high, sigma, freedom) {
  n <- length(values)
  distances <- c(mean(values) - low, high - mean(values))
  cpk <- min(distances, na.rm = TRUE) / (3 * sigma)
  cp <- (high - low) / (6 * sigma)
  half <- qnorm(0.975) * sqrt(1 / (9 * n * cpk^2) + 1 / (2 * freedom))
  list(
    spread = c(cp, cp * sqrt(qchisq(c(0.025, 0.975), freedom) / freedom)),
    centered = c(cpk, cpk * (1 + c(-half, half))),
    expectedOutside = sum(pnorm(-distances / sigma), na.rm = TRUE)
  )
}
capabilities <- list(
  list(sample = 'precip', low = 0, high = 80), list(sample = 'nhtemp', low = 48, high = 55),
  list(sample = 'nile', low = 400, high = NA), list(sample = 'eruptions', low = NA, high = 6),
  list(sample = 'normal', low = 4.9, high = 5.1), list(sample = 'eight', low = -2, high = 5)
)
capability <- lapply(capabilities, function(case) {
  values <- samples[[case$sample]]
  within <- mean(abs(diff(values))) / (2 / sqrt(pi))
  c(case, list(
    within = index(values, case$low, case$high, within, 0.62 * (length(values) - 1)),
    overall = index(values, case$low, case$high, sd(values), length(values) - 1)
  ))
})

design <- function(units, stations, readings, noise) {
  frame <- expand.grid(reading = 1:readings, station = paste0('S', 1:stations), unit = sprintf('U%02d', 1:units))
  frame$value <- 5 + rnorm(units, 0, 0.3)[frame$unit] + rnorm(stations, 0, noise[1])[frame$station] +
    matrix(rnorm(units * stations, 0, noise[2]), units)[cbind(frame$unit, frame$station)] + rnorm(nrow(frame), 0, 0.05)
  frame[, c('unit', 'station', 'value')]
}
columns <- function(frame) list(unit = as.character(frame$unit), station = as.character(frame$station), value = frame$value)
anovaTable <- function(frame) {
  table <- summary(aov(value ~ unit * station, frame))[[1]]
  lapply(seq_len(nrow(table)), function(i) list(
    freedom = table[i, 1], squares = table[i, 2], f = table[i, 4], pValue = table[i, 5]
  ))
}
frames <- list(
  warpbreaks = data.frame(unit = warpbreaks$wool, station = warpbreaks$tension, value = warpbreaks$breaks),
  toothGrowth = data.frame(unit = ToothGrowth$supp, station = factor(ToothGrowth$dose), value = ToothGrowth$len),
  withInteraction = design(10, 3, 3, c(0.4, 0.1)), small = design(5, 2, 2, c(0.2, 0.1))
)
anova <- lapply(frames, function(frame) c(columns(frame), list(table = anovaTable(frame))))

# Variances by restricted maximum likelihood, which equal those of the analysis of variance where none is 0.
variances <- function(frame, formula) {
  fit <- lmer(formula, frame, REML = TRUE, control = lmerControl(optimizer = 'bobyqa', optCtrl = list(rhoend = 1e-12)))
  parts <- as.data.frame(VarCorr(fit))
  setNames(as.list(parts$vcov), sub(':', '_', parts$grp))
}
crossed <- value ~ 1 + (1 | unit) + (1 | station) + (1 | unit:station)
additive <- value ~ 1 + (1 | unit) + (1 | station)
pooledFrame <- design(8, 3, 2, c(0.1, 0))
gauge <- list(
  c(columns(frames$withInteraction), list(variances = variances(frames$withInteraction, crossed))),
  c(columns(pooledFrame), list(variances = variances(pooledFrame, additive)))
)

cat('{\n', paste0('"', c('program', 'normal', 'chiSquare', 'fTail', 'wilson', 'andersonDarling', 'capability', 'anova', 'gauge'), '": ',
  sapply(list(R.version.string, rows(normal), rows(chiSquare), rows(fTail), rows(wilson), andersonDarling, capability, anova, gauge), json),
  collapse = ',\n'), '\n}\n', sep = '')
