"""Names of people, for texts without a column that says whose they are: small, frequent, of our own.

A text is taken for a person when it looks like one (`Ada Weiss`, `Dear Ada`) and holds a name of these
lists; the lists alone decide nothing, so that a word of an enumeration stays."""

from __future__ import annotations

_FIRST = """
aaron abigail abraham ada adam adriana adrian agnes ahmed aisha alan albert alejandro alessandro alex
alexander alexandra alfred ali alice alicia alina alison allison alma amanda amber amelia amina amir amy
ana anastasia andre andrea andreas andrew angela angelica anita anja ann anna anne annette annika anthony
antoine antonio anton arjun arthur ashley astrid audrey barbara beatrice benjamin bernard bernd beth
bianca birgit bjorn boris brandon brenda brian bridget bruce bruno caleb camila camille carl carla carlos
carmen caroline catherine cecilia charles charlie chiara chloe chris christa christian christina
christine christoph christopher claire clara claudia clement colin connor conrad cristina cynthia daniel
daniela danielle darius david deborah denise dennis diana diane diego dieter dimitri dmitri dominik
donald donna dorothy douglas dylan edith edward elena eleanor elias elisabeth elise elizabeth ella ellen
emil emilia emily emma enrique eric erik erika erin ernesto esther ethan eugene eva evelyn fatima
felicia felix fernando fiona florian francesca francesco francisco franz frederic frederick friedrich
gabriel gabriela gabrielle gary gavin geoffrey george gerald gerhard giovanni giulia gloria gregory greta
guillaume gustav hannah hans harold harriet harry hassan heather hector heidi heike heinrich helen helena
helga henri henrik henry herbert hiroshi holger howard hugo ian ibrahim ines inga ingrid irene irina
isaac isabel isabella ivan jack jacob jacqueline jacques jakob james jan jana jane janet jasmine jason
javier jean jeffrey jennifer jens jeremy jessica jesus joachim joan joanna johan johanna johannes john
jonas jonathan jorge jose joseph joshua juan juanita judith juergen julia julian juliana julie julien
justin kai karen karin karl karolina katarina kate katharina katherine kathleen kathryn katja katrin
keiko keith kelly kenji kenneth kerstin kevin khalid klaus kristin kristina kurt kyle lars laszlo laura
lauren laurent lea leah leila lena leon leonard leonardo leonie leslie liam lila linda lisa logan lorenzo
louis louise luca lucas lucia lucy ludwig luis luisa lukas luke lydia madeleine magdalena manfred manuel
marc marcel marco marcus margaret margarita maria mariana marianne marie marina mario marion markus
marlene marta martha martin martina mary mateo mathieu mathilda matteo matthew matthias maurice maya
megan mehmet mei melanie melissa michael michaela michele michelle miguel mikael mikhail mila miriam
mohamed mohammed monica monika muhammad nadia nadine natalia natalie natasha nathan nicholas nicola
nicolas nicole nikolai nils nina noah nora norbert norman oleg olga oliver olivia omar oscar otto pablo
pamela patricia patrick paul paula pauline pedro peggy peter petra philip philipp philippe phillip pierre
priya rachel rafael rahul rainer ralf ralph ramon raphael raul rebecca regina renate rene ricardo richard
rita robert roberto robin rodrigo roger roland roman ronald rosa roxana ruben rudolf russell ruth ryan
sabine sabrina sally salma samantha samuel sandra sanjay sara sarah sean sebastian selina sergei sergio
shannon sharon sheila silke silvia simon simone sofia sonia sonja sophia sophie stefan stefanie stella
stephan stephanie stephen steven stuart susan susanna susanne svetlana sylvia tamara tania tanja tatiana
ted teresa theodor theresa thomas tim timothy tobias todd tom tomas torsten tracy tyler ulrich ulrike
ursula uwe valentina valeria vanessa vera veronica victor victoria vincent viktor vladimir walter wendy
werner wilhelm william wolfgang xavier yasmin yolanda yosef youssef yuki yusuf yvonne zachary zoe
"""

_LAST = """
abbott adams ahmed alexander ali allen alvarez andersen anderson andersson arroyo bailey baker barnes
barrett bauer baumann becker bell bennett berg bergmann bernard bianchi boyd bradley brandt braun brennan
brooks brown bryant burke burns butler byrne campbell carlson carpenter carroll carter castillo castro
chapman chavez chen clark cohen coleman collins contreras cooper costa cox crawford cruz cunningham daniels
davies davis delgado diaz dietrich dixon dominguez douglas doyle dubois duncan dupont edwards elliott ellis
engel erikson esposito estrada evans farrell ferguson fernandez ferrari fischer fisher fitzgerald fleming
fletcher flores ford foster fox franklin freeman fuchs fuentes fuller gallagher garcia gardner garza
gibson gomez gonzales gonzalez gordon graham gray greene griffin gruber guerrero gupta gutierrez guzman
haas hamilton hansen hanson harper harris harrison hart hartmann harvey hayes henderson hernandez herrera
hicks hoffman hoffmann holmes howard hughes huber hunt hunter ivanov jackson jacobs jansen jenkins jensen
jimenez johansson johnson johnston jones jordan kaiser kaufmann keller kelley kelly kennedy khan kim klein
knight koch kowalski krause kruger kuhn kumar lambert lang larsen larson lawrence lawson lefebvre lehmann
leroy lewis lindberg lopez lorenz ludwig maier maldonado marino marshall martin martinez mason matthews
maurer mayer mccarthy mccoy mcdonald medina mejia mendez mendoza meyer miller mitchell molina montgomery
moore morales moreau moreno morgan morris morrison mueller muller munoz murphy murray myers nelson neumann
newman nguyen nielsen novak nowak nunez obrien oconnor olsen olson oneill ortega ortiz owens palmer park
parker patel patterson payne perez perkins perry peters petersen peterson petrov phillips pohl porter
powell price quinn ramirez ramos reed reyes reynolds ricci richards richardson richter riley rivera roberts
robertson robinson rodriguez rogers rojas romano romero rossi roth ruiz russell russo ryan salazar sanchez
sanders sandoval santiago santos sato sauer schaefer schmid schmidt schmitt schmitz schneider scholz
schreiber schroeder schubert schulz schumacher schuster schwarz scott seidel shaw sharma silva simmons
simpson singh smirnov smith soto spencer stein stephens stevens stewart sullivan suzuki svensson tanaka
taylor thomas thompson torres tran tucker turner vargas vasquez vega vogel vogt wagner walker wallace walsh
walter wang ward warren washington watson weber webb weiss wells west wheeler wilson winkler winter wolf wong
woods wright yamamoto yang young zhang ziegler zimmermann
"""

_AMBIGUOUS = """
amber april art august austin autumn bill brooklyn carol chance charity chase christian clay cliff dawn
destiny dollar drew earl faith frank georgia grace grant harmony hope iris ivy jack jan jasmine jordan joy
june lily mark martin max may melody mercy miles misty olive paris pat pearl penny rich rob robin roman
rose ruby sandy savannah sierra sky sue summer todd trinity violet virginia wade will
"""

FIRST_NAMES = frozenset(_FIRST.split())
LAST_NAMES = frozenset(_LAST.split())
AMBIGUOUS = frozenset(_AMBIGUOUS.split())  # first names that are words, months or places as well
