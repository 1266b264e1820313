/* Stands in for libnvidia-ml.so.1: what our collector asks of NVML, answered from a script.
 *
 * The script (a file named by NVML_STANDIN) is read anew at each initialisation. Its lines are
 *
 *     TIME GPU KEY VALUE
 *
 * From TIME (seconds) on, KEY of GPU (a number, * for all, - for the machine) is VALUE: a number, or A+B/s for what
 * grows by B each second from then on, or text. Later lines win. KEY is a value (see the functions), or
 *     fail:FUNCTION   the call returns this error code (0: it works again); fail:* is every call
 *     fail:FIELD      the same for one field id of nvmlDeviceGetFieldValues, or one metric id of GPM
 *     hang:FUNCTION   the call takes this many milliseconds
 *     random          every call fails so many times in 1000, with a code of CODES; seeded by `seed`
 *
 * The time is the machine's until standin_at() sets it. The structs are those of nvml.h, written from its description.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#ifndef DRIVER_VERSION
#define DRIVER_VERSION "580.00"
#endif

enum { MOST_LINES = 512, MOST_GPUS = 16, MOST_MIG = 8, MACHINE = -1, ANY = -2 };
typedef struct { double at, base, slope; int gpu; char key[64], text[96]; } line_t;
typedef struct { int gpu, mig; } device_t; /* mig: -1 the GPU itself */
typedef struct { double at; } gpm_sample_t;

static line_t lines[MOST_LINES];
static int line_count, scripted;
static double scripted_at, began = -1;
static device_t handles[MOST_GPUS][MOST_MIG + 1];
static int open_inits, open_samples, open_sets, initialised, registered[MOST_GPUS];
static long calls;
static int xid_told[MOST_GPUS];
static uint64_t randomness = 88172645463325252ull;
static const int CODES[] = {1, 2, 3, 4, 6, 9, 10, 13, 15, 16, 18, 20, 21, 25, 27, 28, 999};

static double now(void) {
  struct timespec t;
  if (scripted) return scripted_at;
  clock_gettime(CLOCK_MONOTONIC, &t);
  double s = (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
  if (began < 0) began = s;
  return s - began;
}

static void read_script(void) {
  char buffer[256], gpu[16], value[96];
  FILE *file = getenv("NVML_STANDIN") ? fopen(getenv("NVML_STANDIN"), "r") : NULL;
  line_count = 0;
  while (file && line_count < MOST_LINES && fgets(buffer, sizeof buffer, file)) {
    line_t *l = &lines[line_count];
    memset(l, 0, sizeof *l);
    if (sscanf(buffer, "%lf %15s %63s %95[^\n]", &l->at, gpu, l->key, value) != 4 || buffer[0] == '#') continue;
    l->gpu = gpu[0] == '*' ? ANY : gpu[0] == '-' ? MACHINE : atoi(gpu);
    snprintf(l->text, sizeof l->text, "%s", value);
    sscanf(value, "%lf+%lf", &l->base, &l->slope);
    line_count++;
  }
  if (file) fclose(file);
}

static const line_t *find(int gpu, const char *key) {
  const line_t *found = NULL;
  double at = now();
  for (int i = 0; i < line_count; i++) {
    const line_t *l = &lines[i];
    if (l->at <= at && (l->gpu == gpu || (l->gpu == ANY && gpu >= 0)) && !strcmp(l->key, key)) found = l;
  }
  return found;
}

static double value(int gpu, const char *key, double otherwise) {
  const line_t *l = find(gpu, key);
  return l ? l->base + l->slope * (now() - l->at) : otherwise;
}

static int fails(int gpu, const char *what) {
  char key[80];
  snprintf(key, sizeof key, "fail:%s", what);
  int code = (int)value(gpu, key, 0);
  return code ? code : gpu >= 0 ? (int)value(MACHINE, key, 0) : 0;
}

static int enter(const char *function, int gpu) {
  char key[80];
  calls++;
  snprintf(key, sizeof key, "hang:%s", function);
  int ms = (int)value(gpu, key, 0);
  if (ms) usleep((useconds_t)ms * 1000);
  int code = fails(gpu, "*");
  if (!code) code = fails(gpu, function);
  int permille = (int)value(MACHINE, "random", 0);
  if (!code && permille) {
    randomness ^= randomness << 13, randomness ^= randomness >> 7, randomness ^= randomness << 17;
    if ((int)(randomness % 1000) < permille) code = CODES[(randomness >> 20) % (sizeof CODES / sizeof *CODES)];
  }
  if (!code && !initialised && strcmp(function, "nvmlInitWithFlags")) code = 1;
  return code;
}

#define ENTER(gpu) do { int code_ = enter(__func__, gpu); if (code_) return code_; } while (0)
#define DEVICE(d) do { if (!(d)) return 2; ENTER((d)->gpu); } while (0)
#define WHOLE(d) do { DEVICE(d); if ((d)->mig >= 0) return 3; } while (0)

/* For the tests. */
void standin_at(double at) {
  if (!scripted || at < scripted_at) memset(xid_told, 0, sizeof xid_told); /* a new scene */
  scripted = 1, scripted_at = at;
}
int standin_inits(void) { return open_inits; }
int standin_samples(void) { return open_samples; }
int standin_sets(void) { return open_sets; }
long standin_calls(void) { return calls; }

int nvmlInitWithFlags(unsigned flags) {
  (void)flags;
  read_script();
  ENTER(MACHINE);
  if (find(MACHINE, "seed") && !initialised) randomness ^= (uint64_t)value(MACHINE, "seed", 0) * 2654435761u;
  open_inits++;
  initialised = 1;
  return 0;
}

int nvmlShutdown(void) {
  /* Whatever it returns: like the calls that free something, it is not asked twice. */
  int code = enter("nvmlShutdown", MACHINE);
  if (--open_inits == 0) initialised = 0, memset(registered, 0, sizeof registered);
  return code;
}

const char *nvmlErrorString(int code) {
  static char text[32];
  snprintf(text, sizeof text, "stand-in error %d", code);
  return text;
}

static int text(int gpu, const char *key, const char *otherwise, char *into, unsigned size) {
  const line_t *l = find(gpu, key);
  snprintf(into, size, "%s", l ? l->text : otherwise);
  return 0;
}

int nvmlSystemGetDriverVersion(char *into, unsigned size) { ENTER(MACHINE); return text(MACHINE, "driver", DRIVER_VERSION, into, size); }
int nvmlSystemGetNVMLVersion(char *into, unsigned size) { ENTER(MACHINE); return text(MACHINE, "nvml", "13.580", into, size); }
int nvmlDeviceGetCount_v2(unsigned *count) { ENTER(MACHINE); *count = (unsigned)value(MACHINE, "gpus", 1); return 0; }

int nvmlDeviceGetHandleByIndex_v2(unsigned index, device_t **device) {
  if (index >= MOST_GPUS) return 2;
  ENTER((int)index);
  handles[index][0] = (device_t){(int)index, -1};
  *device = &handles[index][0];
  return 0;
}

int nvmlDeviceGetName(device_t *d, char *into, unsigned size) { DEVICE(d); return text(d->gpu, "name", "NVIDIA Stand-in", into, size); }

int nvmlDeviceGetUUID(device_t *d, char *into, unsigned size) {
  DEVICE(d);
  if (d->mig >= 0) snprintf(into, size, "MIG-%08d-%04d", d->gpu, d->mig);
  else snprintf(into, size, "GPU-%08d-0000", d->gpu);
  return find(d->gpu, "uuid") ? text(d->gpu, "uuid", "", into, size) : 0;
}

int nvmlDeviceGetMigMode(device_t *d, unsigned *current, unsigned *pending) {
  WHOLE(d);
  if (!find(d->gpu, "mig")) return 3;
  *current = *pending = value(d->gpu, "mig", 0) > 0;
  return 0;
}

int nvmlDeviceGetMaxMigDeviceCount(device_t *d, unsigned *count) { WHOLE(d); *count = MOST_MIG - 1; return 0; }

int nvmlDeviceGetMigDeviceHandleByIndex(device_t *d, unsigned index, device_t **mig) {
  WHOLE(d);
  if (index >= (unsigned)value(d->gpu, "mig", 0)) return 6;
  handles[d->gpu][index + 1] = (device_t){d->gpu, (int)index};
  *mig = &handles[d->gpu][index + 1];
  return 0;
}

int nvmlDeviceGetGpuInstanceId(device_t *d, unsigned *id) { DEVICE(d); if (d->mig < 0) return 3; *id = 7u + (unsigned)d->mig; return 0; }

typedef union { double d; unsigned ui; unsigned long ul; unsigned long long ull; long long sll; int si; unsigned short us; } value_t;
typedef struct { unsigned id, scope; long long timestamp, latency; int type, result; value_t value; } field_t;

int nvmlDeviceGetFieldValues(device_t *d, int count, field_t *fields) {
  static const struct { unsigned id, scope; const char *key; int bits; } known[] = {
      {83, 0, "energy_mj", 64}, {185, 0, "power_mw", 32}, {185, 1, "module_mw", 32}, {74, 0, "power_cap_ns", 64},
      {269, 0, "thermal_ns", 64}, {270, 0, "hw_thermal_ns", 64}, {271, 0, "brake_ns", 64}, {197, 0, "pcie_tx", 32},
      {198, 0, "pcie_rx", 32}, {138, 0xffffffffu, "nvlink_tx_kib", 64}, {139, 0xffffffffu, "nvlink_rx_kib", 64}};
  WHOLE(d);
  for (int i = 0; i < count; i++) {
    char id[16];
    snprintf(id, sizeof id, "%u", fields[i].id);
    fields[i].result = fails(d->gpu, id);
    if (fields[i].result) continue;
    fields[i].result = 3;
    for (unsigned k = 0; k < sizeof known / sizeof *known; k++) {
      if (known[k].id != fields[i].id || known[k].scope != fields[i].scope || !find(d->gpu, known[k].key)) continue;
      uint64_t v = (uint64_t)value(d->gpu, known[k].key, 0);
      fields[i].result = 0;
      fields[i].type = known[k].bits == 64 ? 3 : 1;
      if (known[k].bits == 64) fields[i].value.ull = v;
      else fields[i].value.ui = (unsigned)v;
    }
  }
  return 0;
}

#define NUMBER(function, type, key) \
  int function(device_t *d, type *into) { WHOLE(d); if (!find(d->gpu, key)) return 3; *into = (type)value(d->gpu, key, 0); return 0; }
NUMBER(nvmlDeviceGetTotalEnergyConsumption, unsigned long long, "energy_mj")
NUMBER(nvmlDeviceGetPowerUsage, unsigned, "power_mw")
NUMBER(nvmlDeviceGetEnforcedPowerLimit, unsigned, "limit_mw")
NUMBER(nvmlDeviceGetCurrentClocksEventReasons, unsigned long long, "limits")
NUMBER(nvmlDeviceGetCurrentClocksThrottleReasons, unsigned long long, "limits")

typedef struct { unsigned long long total, free, used; } memory_t;
typedef struct { unsigned version; unsigned long long total, reserved, free, used; } memory_v2_t;

int nvmlDeviceGetMemoryInfo(device_t *d, memory_t *m) {
  DEVICE(d);
  if (!find(d->gpu, "memory")) return 3;
  double reserved = value(d->gpu, "memory_reserved", 0), used = value(d->gpu, "memory_used", 0);
  m->total = (unsigned long long)value(d->gpu, "memory", 0);
  m->used = (unsigned long long)(used + reserved);
  m->free = m->total - m->used;
  return 0;
}

int nvmlDeviceGetMemoryInfo_v2(device_t *d, memory_v2_t *m) {
  memory_t v1;
  if (m->version != 0x02000028) return 25;
  DEVICE(d);
  if (!find(d->gpu, "memory")) return 3;
  v1.total = (unsigned long long)value(d->gpu, "memory", 0);
  m->total = v1.total;
  m->reserved = (unsigned long long)value(d->gpu, "memory_reserved", 0);
  m->used = (unsigned long long)value(d->gpu, "memory_used", 0);
  m->free = m->total - m->used - m->reserved;
  return 0;
}

int nvmlDeviceGetUtilizationRates(device_t *d, unsigned *rates) {
  WHOLE(d);
  if (!find(d->gpu, "utilization")) return 3;
  rates[0] = (unsigned)value(d->gpu, "utilization", 0);
  rates[1] = 0;
  return 0;
}

int nvmlDeviceGetTemperatureV(device_t *d, int *v1) {
  WHOLE(d);
  if ((unsigned)v1[0] != 0x100000Cu) return 25;
  if (!find(d->gpu, "celsius")) return 3;
  v1[2] = (int)value(d->gpu, "celsius", 0);
  return 0;
}

int nvmlDeviceGetTemperature(device_t *d, int sensor, unsigned *into) {
  (void)sensor;
  WHOLE(d);
  if (!find(d->gpu, "celsius")) return 3;
  *into = (unsigned)value(d->gpu, "celsius", 0);
  return 0;
}

int nvmlDeviceGetClockInfo(device_t *d, int clock, unsigned *mhz) {
  WHOLE(d);
  if (clock != 1 || !find(d->gpu, "sm_mhz")) return 3;
  *mhz = (unsigned)value(d->gpu, "sm_mhz", 0);
  return 0;
}

int nvmlDeviceGetMaxClockInfo(device_t *d, int clock, unsigned *mhz) {
  WHOLE(d);
  if (clock != 1 || !find(d->gpu, "sm_max_mhz")) return 3;
  *mhz = (unsigned)value(d->gpu, "sm_max_mhz", 0);
  return 0;
}

int nvmlDeviceGetTotalEccErrors(device_t *d, int type, int counter, unsigned long long *count) {
  WHOLE(d);
  if (type != 1 || counter != 0 || !find(d->gpu, "ecc")) return 3;
  *count = (unsigned long long)value(d->gpu, "ecc", 0);
  return 0;
}

typedef struct { unsigned pid; unsigned long long memory; unsigned gi, ci; } process_t;

int nvmlDeviceGetComputeRunningProcesses_v3(device_t *d, unsigned *count, process_t *processes) {
  static const char *keys[][2] = {{"pid", "pid_memory"}, {"pid2", "pid2_memory"}};
  unsigned there = 0, room = *count;
  DEVICE(d);
  for (int i = 0; i < 2; i++) {
    if (!find(d->gpu, keys[i][0])) continue;
    if (processes && there < room)
      processes[there] = (process_t){(unsigned)value(d->gpu, keys[i][0], 0),
                                     find(d->gpu, keys[i][1]) ? (unsigned long long)value(d->gpu, keys[i][1], 0) : ~0ull, 0, 0};
    there++;
  }
  *count = there;
  return there && !processes ? 7 : 0;
}

typedef struct { device_t *device; unsigned long long type, data; unsigned gi, ci; } event_t;

int nvmlEventSetCreate(void **set) { ENTER(MACHINE); open_sets++; *set = registered; return 0; }
int nvmlEventSetFree(void *set) { (void)set; open_sets--; ENTER(MACHINE); return 0; }
int nvmlDeviceRegisterEvents(device_t *d, unsigned long long types, void *set) {
  (void)set;
  WHOLE(d);
  registered[d->gpu] = types == 8;
  return 0;
}

int nvmlEventSetWait_v2(void *set, event_t *event, unsigned timeout_ms) {
  (void)set, (void)timeout_ms;
  ENTER(MACHINE);
  for (int gpu = 0; gpu < MOST_GPUS; gpu++) {
    int xid = registered[gpu] ? (int)value(gpu, "xid", 0) : 0;
    if (!xid || xid_told[gpu] == xid) continue;
    xid_told[gpu] = xid;
    *event = (event_t){&handles[gpu][0], 8, (unsigned long long)xid, 0, 0};
    return 0;
  }
  return 10;
}

typedef struct { unsigned id; int result; double value; const char *names[3]; } metric_t;
typedef struct { unsigned version, count; gpm_sample_t *first, *second; metric_t metrics[]; } metrics_t;
typedef struct { unsigned version, supported; } support_t;

int nvmlGpmQueryDeviceSupport(device_t *d, support_t *s) { DEVICE(d); s->supported = find(d->gpu, "gpm_2") != NULL; return 0; }
int nvmlGpmSampleAlloc(gpm_sample_t **sample) { ENTER(MACHINE); open_samples++; *sample = calloc(1, sizeof **sample); (*sample)->at = -1; return 0; }
int nvmlGpmSampleFree(gpm_sample_t *sample) { free(sample); open_samples--; ENTER(MACHINE); return 0; }
static gpm_sample_t *sampled_of; /* the GPU is not in the sample: all are asked in turn */
static int sampled_gpu;
int nvmlGpmSampleGet(device_t *d, gpm_sample_t *sample) { WHOLE(d); sample->at = now(); sampled_of = sample; sampled_gpu = d->gpu; return 0; }
int nvmlGpmMigSampleGet(device_t *d, unsigned id, gpm_sample_t *sample) {
  WHOLE(d);
  if (id < 7) return 2;
  sample->at = now(), sampled_of = sample, sampled_gpu = d->gpu;
  return 0;
}

int nvmlGpmMetricsGet(metrics_t *m) {
  ENTER(MACHINE);
  if (m->version != 1) return 25;
  /* The older sample first, as nvml.h asks. */
  if (m->second != sampled_of || m->first->at < 0 || m->second->at <= m->first->at) return 2;
  for (unsigned i = 0; i < m->count; i++) {
    char key[24], id[16];
    snprintf(key, sizeof key, "gpm_%u", m->metrics[i].id);
    snprintf(id, sizeof id, "%u", m->metrics[i].id);
    m->metrics[i].result = fails(sampled_gpu, id);
    if (!m->metrics[i].result && !find(sampled_gpu, key)) m->metrics[i].result = 3;
    m->metrics[i].value = value(sampled_gpu, key, 0);
  }
  return 0;
}
