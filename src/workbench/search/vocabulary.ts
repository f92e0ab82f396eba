// English stop words, words typical of requests, and words that fit any tool of any server.
const ignored = `
a about above after again all also am an and any are as at be because been before being below between both but by
can cannot could did do does doing done down during each either else etc ever every few for from further had has have
having he her here hers him his how however i if in into is it its itself just least less me might mine more most much
must my no nor not now of off on once only onto or other others our ours out over own per same shall she should since so
some such than that the their theirs them then there these they this those though through thus to too toward under until
up upon us very via was we were what whatever when where whether which while who whom whose why will with within without
would yes yet you your yours
anything everything finally following give hello help hi know let like lot many maybe need nothing one please really
someone something still sure tell thank thanks thing two use used using want well
allow api based context default enable given include including mcp model optional platform protocol provide require
server service specific specified support tool various
`;

// Each line is a group of synonyms. Product names stand for their category: agents ask for "team chat", and
// the server is named slack.
const meanings = `
get fetch retrieve obtain read load
view show display
list enumerate browse
search find lookup query discover grep
create make generate add new build
write save store
update edit modify change
delete remove erase clear
run execute invoke
send post submit publish
convert transform export
compute calculate math arithmetic
merge combine join concatenate
split divide separate
copy duplicate clone
move rename
compare comparison diff
analyze analysis inspect
summarize summary
extract parse scrape
check verify validate lint
undo revert reset rollback restore
remember recall memorize memory
slow performance latency speed
open launch start
close stop end
translate translation language
plot chart graph diagram visualization visualize
file document
folder directory
image picture photo
video movie film
audio sound music song
email mail inbox gmail outlook
webpage website site page url link
web internet online
browser chrome navigate playwright puppeteer
article news headline story
paper publication preprint literature arxiv pubmed
research study
encyclopedia wiki wikipedia
repository repo
git github gitlab
issue ticket bug jira
package dependency library module
documentation docs reference
database db sql postgres mysql sqlite
spreadsheet excel xlsx csv sheet
presentation powerpoint ppt pptx slide
word doc docx
terminal shell command bash console
log history
task todo
note memo memory notion obsidian
calendar event appointment schedule
chat message slack discord
time date clock
map location place geographic osm openstreetmap
address geocode coordinate
nearby near around surrounding
route direction navigation
travel trip journey tourism
hotel accommodation lodging airbnb
flight airline
train railway rail
vehicle car drive
restaurant dining food
recipe cooking dish meal
weather forecast climate temperature meteorological
price cost quote fare
stock share equity ticker
crypto cryptocurrency bitcoin coin ethereum
currency money exchange
company business organization
product item
shop shopping ecommerce amazon
buy purchase order
payment invoice stripe
trend trending popular hot ranking rank
recommend suggest
user account profile person people
password credential secret
config configuration setting
info information detail
environment env
authentication auth login
medical health clinical medicine
game gaming
domain dns whois
security vulnerability
container docker
kubernetes k8s cluster pod
color colour
icon logo
component widget
screenshot capture
text content
`;

export const ignoredWords: ReadonlySet<string> = new Set(ignored.trim().split(/\s+/));

export const synonymGroups: readonly string[] = meanings.trim().split('\n');
